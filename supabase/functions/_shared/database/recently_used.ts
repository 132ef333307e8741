/** Makes a value once for a name, and keeps those of the `max` names that were used last. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>();

  constructor(readonly max: number) {}

  get(name: string, make: () => Value): Value {
    const value = this.#values.get(name) ?? make();
    // A Map is in the order in which its names came: the one that was used last is the last to go.
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size > this.max) this.#values.delete(this.#values.keys().next().value!);
    return value;
  }
}
