import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";

/** A list that reads its rows page by page. In most views, the newest rows come first. */
export class Older<Row> {
  rows: Row[] = [];
  private hasOlder = false;
  private readonly reading = new Action();
  /** The number of the latest load. Rows that arrive late, for an earlier load, are ignored. */
  private turn = 0;

  /**
   * @param read returns at most `limit` rows after `last`, or the first rows if `last` is
   *   undefined. `limit` is `size` + 1, so that the list knows whether there are more rows.
   * @param size the number of rows of a page.
   */
  constructor(
    private readonly read: (last: Row | undefined, limit: number, app: App) => Promise<Row[]>,
    private readonly size = 50,
  ) {}

  /** Reads the first page. */
  async load(app: App): Promise<void> {
    const turn = ++this.turn;
    const found = await this.read(undefined, this.size + 1, app);
    if (turn !== this.turn) return;
    this.rows = [];
    this.add(found);
  }

  /**
   * The button below the list, which reads the next page.
   * @param row the selector of a row, which gets the focus: `.rows tbody tr`.
   */
  html(row: string, app: App): TemplateResult {
    const { t: { frame: t } } = app;
    const more = () =>
      this.reading.run(app, async () => {
        const known = this.rows.length;
        const turn = this.turn;
        const found = await this.read(this.rows.at(-1), this.size + 1, app);
        if (turn !== this.turn) return;
        this.add(found);
        app.say(t.olderShown(this.rows.length - known));
        // The button may have disappeared. So the focus moves to the first new row, where the user
        // continues to read.
        document.querySelectorAll<HTMLElement>(row)[known]?.focus();
      });
    return html`
      ${this.reading.html(app.t)}
      ${this.hasOlder
        ? html`
          <p class="buttons">
            <button type="button" ?disabled=${this.reading.isBusy} @click=${more}>${t
              .older}</button>
          </p>
        `
        : nothing}
    `;
  }

  private add(found: Row[]) {
    this.hasOlder = found.length > this.size;
    this.rows = [...this.rows, ...found.slice(0, this.size)];
  }
}
