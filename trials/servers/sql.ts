// Serves the first page of contacts without a function and without the REST layer. The server runs
// the same statement over a plain driver, in a transaction with the settings of the REST layer.

import postgres from "postgres";

const { DATABASE_URL = "", CLAIMS = "", COLUMNS = "" } = Deno.env.toObject();
const text = { to: 25, from: [1184], serialize: String, parse: (value: string) => value };
// The REST layer has the same number of connections.
const sql = postgres(DATABASE_URL, { max: 10, types: { timestamptz: text } });
const columns = COLUMNS.split(",");

export default {
  async fetch(): Promise<Response> {
    const [, rows] = await sql.begin("read only", (sql) => [
      sql`
        select set_config('request.jwt.claims', ${CLAIMS}, true),
          set_config('statement_timeout', '3s', true), set_config('role', 'api_reader', true)
      `,
      sql`select ${
        sql(columns)
      } from own_plain_contacts order by created_at desc, id desc limit 51`,
    ]);
    return Response.json({ data: rows.slice(0, 50) });
  },
};
