import type { ParametersOf } from "./n8n_parameters.ts";

type Row = Record<string, string | null>;

/** n8n data tables in memory. All columns are text columns. */
export class DataTables {
  #tables: Map<string, { columns: string[]; rows: Row[] }>;

  /** @param columns the column names of each table. */
  constructor(columns: Record<string, string[]>) {
    this.#tables = new Map(
      Object.entries(columns).map(([name, each]) => [name, { columns: each, rows: [] }]),
    );
  }

  /** The rows of a table. @throws Error if the table does not exist. */
  rows(name: string): Row[] {
    return this.#table(name).rows;
  }

  /**
   * Executes a data table node. Returns the written rows with their new values, or the deleted rows
   * with their old values.
   */
  apply(parameters: ParametersOf<"dataTable 1.1">): Row[] {
    const { dataTableId: { value: name }, filters } = parameters;
    const table = this.#table(name);
    const known = (column: string) => {
      if (!table.columns.includes(column)) throw new Error(`${name} has no column ${column}`);
    };
    for (const { keyName } of filters.conditions) known(keyName);
    const matches = (row: Row) =>
      filters.conditions.every(({ keyName, condition, keyValue }) =>
        (row[keyName] === keyValue) === (condition === "eq")
      );
    const found = table.rows.filter(matches);
    if (parameters.operation === "deleteRows") {
      table.rows = table.rows.filter((row) => !matches(row));
      return found;
    }
    const { value, schema } = parameters.columns;
    for (const column of [...Object.keys(value), ...schema.map(({ id }) => id)]) known(column);
    const cells = Object.entries<string | null>(value);
    const wrong = cells.find(([, cell]) => cell !== null && typeof cell !== "string");
    if (wrong) throw new Error(`${name}: ${wrong} is not a text`);
    if (found.length === 0) table.rows.push(found[0] = {});
    for (const row of found) Object.assign(row, value);
    return found;
  }

  #table(name: string) {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`there is no table ${name}`);
    return table;
  }
}
