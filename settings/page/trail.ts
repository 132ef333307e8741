/**
 * The position of each entry in the browser's history. With this position, the page can undo a
 * navigation step exactly, so that Back never leads to a page that was not shown.
 */
export class Trail {
  #shown: number;
  /** Whether the browser is on its way back to the entry that is shown. */
  isReturning = false;

  constructor() {
    this.#shown = this.#place() ?? 0;
    this.replace(location.hash);
  }

  /** Changes the URL of the current entry. */
  replace(hash: string): void {
    history.replaceState({ place: this.#shown }, "", hash || location.pathname);
  }

  /**
   * Records that the current entry is shown. An entry that a link has just made gets its position
   * here.
   */
  arrive(): void {
    const place = this.#place();
    this.#shown = place ?? this.#shown + 1;
    if (place === null) this.replace(location.hash);
  }

  /**
   * Goes back to the entry that is shown.
   * @param hash the URL fragment of that entry.
   * @returns a function that repeats the user's navigation step.
   */
  undo(hash: string): () => void {
    const wanted = location.hash;
    const steps = (this.#place() ?? this.#shown + 1) - this.#shown;
    // The URL of the current entry changed, so there is no navigation step.
    if (steps === 0) {
      this.replace(hash);
      return () => {
        this.replace(wanted);
        dispatchEvent(new Event("hashchange"));
      };
    }
    if (this.#place() === null) history.replaceState({ place: this.#shown + 1 }, "");
    this.isReturning = true;
    history.go(-steps);
    return () => history.go(steps);
  }

  #place(): number | null {
    const place = (history.state as { place?: unknown } | null)?.place;
    return typeof place === "number" ? place : null;
  }
}
