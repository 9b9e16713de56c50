import {
  type IndexSpec,
  OCCURRENCES_TABLE,
  SCHEDULES_TABLE,
  type TableSpec,
  TTL_ATTRIBUTE,
} from '../../lambdas/contract/tables.ts';
import { type ItemKind, OCCURRENCE_KINDS } from './data-model-occurrences.ts';
import { SCHEDULE_KINDS } from './data-model-schedules.ts';

export const KINDS: readonly ItemKind[] = [...SCHEDULE_KINDS, ...OCCURRENCE_KINDS];

const HEAD = `# Data model

<!-- Written by \`npm run docs\` from lambdas/contract/tables.ts, the codecs of lambdas/adapters/dynamodb and test/docs/data-model-*.ts.
Change those instead. -->

Two tables hold everything. Keys are text: \`${SCHEDULES_TABLE.partitionKey.name}\` and \`${SCHEDULES_TABLE.sortKey.name}\`. Times are
milliseconds since the epoch, except \`${TTL_ATTRIBUTE}\`, which DynamoDB wants in seconds and which only finished items carry. Every index
is sparse where its line says so, and holds keys only: what it lists is read from the table before it is believed.

Every write names in its condition what it read before. Two writers that read the same item cannot both succeed.
`;

/** docs/data-model.md: every kind of item with its key, its attributes, its writers and an example that the codecs made. */
export function dataModelPage(): string {
  return [
    HEAD,
    tableSection('Table of schedules', SCHEDULES_TABLE, SCHEDULE_KINDS),
    tableSection('Table of occurrences', OCCURRENCES_TABLE, OCCURRENCE_KINDS),
  ].join('\n');
}

const INDEX_PURPOSE: Readonly<Record<string, string>> = {
  due: 'Sparse. What the tick has to look at, by shard and time; under shard -1, what the sweep has to watch.',
  by_group: 'Heads by group and name, for lists. The reserved group of the canary is not in it.',
  open: 'Sparse. Occurrences that have not ended, by shard and due time. Pull queues have partitions of their own, from 1000.',
  attention:
    'Sparse. Failed and missed occurrences by UTC day (`2026-03-01#5`), and pending ones by pull queue (`pull#mail#2`), each in buckets.',
  waiting: 'Sparse. Occurrences that wait for a place in a slot, in the order in which they are to have it.',
};

function tableSection(title: string, { indexes, stream }: TableSpec, kinds: readonly ItemKind[]): string {
  const rows = indexes.map((index) => `| \`${index.indexName}\` | ${keyOf(index)} | ${purposeOf(index)} |`);
  return [
    `## ${title}\n`,
    stream
      ? 'Its stream, with old and new images, is the outbox that the relay reads.\n'
      : 'It has no stream.\n',
    '| index | keys | what it lists |\n| --- | --- | --- |',
    `${rows.join('\n')}\n`,
    ...kinds.map(kindSection),
  ].join('\n');
}

const keyOf = ({ partitionKey, sortKey }: IndexSpec) =>
  `\`${partitionKey.name}\` (${partitionKey.type}), \`${sortKey.name}\` (${sortKey.type})`;

function purposeOf({ indexName }: IndexSpec): string {
  const purpose = INDEX_PURPOSE[indexName];
  if (purpose === undefined)
    throw new Error(`test/docs/data-model-page.ts does not describe the index ${indexName}.`);
  return purpose;
}

function kindSection({ title, key, about, writers, attributes, examples }: ItemKind): string {
  const described = Object.entries(attributes).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  const written = writers.map(([who, condition]) => `| ${who} | ${condition} |`);
  return [
    `### ${title}\n`,
    `Key: ${key}\n`,
    `${about}\n`,
    '| written by | on the condition that |\n| --- | --- |',
    `${written.join('\n')}\n`,
    ...(described.length > 0 ? ['| attribute | meaning |\n| --- | --- |', `${described.join('\n')}\n`] : []),
    ...examples.map((item) => `\`\`\`json\n${JSON.stringify(item, null, 2)}\n\`\`\`\n`),
  ].join('\n');
}
