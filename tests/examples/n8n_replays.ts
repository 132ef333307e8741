// Functions that all n8n workflow tests use.
import { call } from "../support/calls.ts";
import type { Company } from "../support/company.ts";
import { stack } from "../support/test_stack.ts";
import { N8nRunner } from "./n8n_runner.ts";
import type { DataTables } from "./n8n_tables.ts";
import { readWorkflow } from "./n8n_workflow.ts";

/** The base URL of the functions, which the node Settings needs. */
export const API = `${stack.url}/functions/v1`;

/**
 * Creates a runner for a workflow. The company's key and these settings replace the values in the
 * file.
 */
export async function runnerOf(
  name: string,
  { keys }: Company,
  { tables, ...settings }: { tables?: DataTables } & Record<string, unknown> = {},
) {
  const workflow = await readWorkflow(name);
  return new N8nRunner(workflow, { crm_api_url: API, ...settings }, keys.all, tables);
}

/** The names of a company's contacts by phone number, as the API lists them. */
export async function listed({ keys }: Company): Promise<Map<string, string | null>> {
  const { body } = await call(keys.read, "GET", "/contacts?archived=include&limit=200");
  return new Map(
    body.data.map((each: { phone: string; name: string | null }) => [each.phone, each.name]),
  );
}
