/** Checked before anything else is imported: an older Node would fail on the way with something obscure. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `Punctual needs Node 24 or later and this is ${process.version}: run it with "npm start", which brings its own.\n`,
  );
  process.exit(1);
}
const { main } = await import('./cli.ts');
await main(process.argv.slice(2));

export {};
