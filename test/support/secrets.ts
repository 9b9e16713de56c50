import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TOKEN_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm/token-a1b2c3';
export const PARAMETER_ARN = 'arn:aws:ssm:eu-central-1:123456789012:parameter/crm/signing';

/** A file of secrets, as the embedded run takes it, that can be changed. */
export function secretsFile(content: Readonly<Record<string, unknown>>) {
  const directory = mkdtempSync(join(tmpdir(), 'punctual-secrets-'));
  const path = join(directory, 'secrets.json');
  const write = (next: Readonly<Record<string, unknown>>) => writeFileSync(path, JSON.stringify(next));
  write(content);
  return { path, write, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
