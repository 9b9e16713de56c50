import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { parseConfig } from '../lib/config.ts';
import { PunctualStack } from '../lib/punctual-stack.ts';

const app = new App();
const config = parseConfig(app.node.getAllContext());
new PunctualStack(app, config.stackName, config);
// A template that breaks a rule is not synthesised, so it cannot be deployed either.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
