import { html, nothing, type TemplateResult } from "lit-html";

/** A column of a table. */
export interface Column<Row> {
  /** The heading. On a phone, the heading is shown next to each value. */
  name: string;
  value(row: Row): unknown;
  /**
   * `number`: aligned to the right. `main`: identifies the row, for example with a link. `act`:
   * buttons, whose heading only screen readers need.
   */
  kind?: "number" | "main" | "act";
}

/**
 * A table of rows. On a phone, each row is a card. The link in the `main` column leads to the page
 * of the row, and a click anywhere in the row does the same. The explicit ARIA roles remain when
 * the style turns the rows into cards.
 * @param title what the table lists, for screen readers.
 */
export function tableOf<Row>(
  title: string,
  columns: Column<Row>[],
  rows: readonly Row[],
): TemplateResult {
  return html`
    <table class="rows" role="table">
      <caption class="unseen">${title}</caption>
      <thead role="rowgroup">
        <tr role="row">${columns.map(({ name, kind }) =>
          html`<th scope="col" role="columnheader" class=${kind ?? nothing}>${
            kind === "act" ? html`<span class="unseen">${name}</span>` : name
          }</th>`
        )}</tr>
      </thead>
      <tbody role="rowgroup">${rows.map((row) =>
        html`
          <tr role="row" tabindex="-1">${columns.map(({ name, value, kind }) =>
            kind === "main"
              ? html`<th scope="row" role="rowheader" class="main">${value(row)}</th>`
              : html`<td role="cell" class=${kind ?? nothing} data-name=${
                kind === "act" ? nothing : name
              }>${value(row)}</td>`
          )}</tr>
        `
      )}</tbody>
    </table>
  `;
}
