import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).toSorted();
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** As GitHub makes them of headings. */
function anchorsOf(file: string): Set<string> {
  const headings = textOf(file).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function brokenLinks(file: string): string[] {
  const prose = textOf(file).replace(/```[\s\S]*?```/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : join(dirname(file), path);
    if (!existsSync(join(ROOT, linked))) return [`${file} links to ${target}, which does not exist`];
    if (anchor !== undefined && linked.endsWith('.md') && !anchorsOf(linked).has(anchor))
      return [`${file} links to ${target}, and there is no such heading`];
    return [];
  });
}

test.each(PAGES)('every link of %s leads somewhere', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

test('pages that code and scripts name exist', () => {
  const sources = globSync(['{bin,lib,lambdas,local,test,bench}/**/*.ts'], { cwd: ROOT });
  const missing = sources.flatMap((file) =>
    [...textOf(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
      .filter(([page]) => !existsSync(join(ROOT, page)))
      .map(([page]) => `${file} names ${page}`),
  );
  expect(missing).toEqual([]);
});

describe('decision records', () => {
  const records = globSync('docs/adr/[0-9]*.md', { cwd: ROOT }).toSorted();
  const index = [
    ...textOf('docs/adr/README.md').matchAll(/^\| (\d{4}) \| \[(.*)\]\((.*)\) \| (.*) \|$/gm),
  ].map(([, number, title, file, status]) => ({ number, title, file, status }));

  test('are all in the index, with the number, title and status that they have', () => {
    expect(records.length).toBeGreaterThan(50);
    const found = records.map((file) => {
      const [, number, title] = /^# (\d{4})\. (.*)$/m.exec(textOf(file)) ?? [];
      const [, status] = /^\*\*Status:\*\* (.*?) *$/m.exec(textOf(file)) ?? [];
      return { number, title, file: file.replace('docs/adr/', ''), status };
    });
    expect(index).toEqual(found);
  });

  test.each(records)('%s has each part, and a number of its own', (file) => {
    const text = textOf(file);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      'Context',
      'Options',
      'Decision',
      'Consequences',
    ]);
    expect(text).toMatch(/^\*\*Date:\*\* \d{4}-\d{2}-\d{2}/m);
    expect(text).toMatch(/^\*\*Status:\*\* (accepted|superseded by \[\d{4}\]\(\d{4}-[\w-]+\.md\)) *$/m);
    expect(index.filter(({ number }) => file.includes(`/${number}-`))).toHaveLength(1);
  });
});
