/** What undoes the steps of a start, the last one first. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  add<Thing>(thing: Thing, step: (thing: Thing) => unknown): Thing {
    this.#steps.push(() => step(thing));
    return thing;
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}
