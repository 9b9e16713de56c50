import { parseConfig } from '../../lib/config.ts';
import { SETTINGS } from '../../lib/settings.ts';

const HEAD = `# Configuration

<!-- Written by \`npm run docs\` from lib/settings.ts and lib/config.ts. Change those instead. -->

A deployment is configured by CDK context, in \`cdk.json\` or on the command line:

\`\`\`sh
npx cdk deploy -c punctual:shardCount=32
\`\`\`

Every key has the prefix \`punctual:\`. Lists are JSON arrays or comma-separated. An unknown key, or a value that is not allowed,
is refused by name before anything is deployed.

| key | default | allowed | what it does |
| --- | --- | --- | --- |
`;

/** docs/configuration.md: every setting, with the default that lib/config.ts gives it. */
export function configurationPage(): string {
  const defaults = parseConfig({}) as Readonly<Record<string, unknown>>;
  const rows = Object.entries(SETTINGS).map(
    ([key, { allowed, meaning }]) =>
      `| \`${key}\` | ${shownDefault(defaults[key])} | ${allowed} | ${meaning} |`,
  );
  return `${HEAD}${rows.join('\n')}\n`;
}

function shownDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  return `\`${String(value)}\``;
}
