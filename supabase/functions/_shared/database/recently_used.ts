/**
 * A cache of values by name. It computes a missing value, and keeps the `max` most recently used
 * names.
 */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>();

  constructor(readonly max: number) {}

  get(name: string, make: () => Value): Value {
    const value = this.#values.get(name) ?? make();
    // A Map keeps the order of insertion, so the least recently used name is the first.
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size > this.max) this.#values.delete(this.#values.keys().next().value!);
    return value;
  }
}
