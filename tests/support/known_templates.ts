import { SANDBOX_BUSINESS_ACCOUNT_ID, SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { sandbox, type SandboxMessage } from "../../sandbox/sandbox.ts";
import { readTemplates } from "../../supabase/functions/_shared/templates/catalogue.ts";
import { readChannelConfig } from "../../supabase/functions/_shared/channel/channel_config.ts";
import { type Company, newCompany } from "./company.ts";
import { stackChannel, statement, withDatabase } from "./test_stack.ts";

/**
 * Creates a company whose account has the templates of a sandbox. The default is the stack's
 * sandbox.
 */
export async function companyWithTemplates(channelUrl = stackChannel): Promise<Company> {
  const company = await newCompany();
  await knowTemplates(company, channelUrl);
  return company;
}

/** Synchronises the templates of a company's account with a sandbox. */
export async function knowTemplates(
  { account_id }: Pick<Company, "account_id">,
  channelUrl = stackChannel,
) {
  const channel = readChannelConfig({ WHATSAPP_API_URL: channelUrl });
  const source = { token: SANDBOX_TOKEN, businessAccountId: SANDBOX_BUSINESS_ACCOUNT_ID };
  const entries = await readTemplates(channel, source);
  await withDatabase(async (sql) => {
    await sql`
      update messaging_accounts set business_account_id = ${SANDBOX_BUSINESS_ACCOUNT_ID} where id = ${account_id}
    `;
    await sql`select apply_template_sync(${account_id}, now(), ${sql.json(entries as never)})`;
  });
}

/**
 * Stores that a company's templates were read eleven minutes ago, so that they no longer count as
 * recent. Without `name`, the function changes all templates.
 */
export async function ageTemplates({ id }: Company, name?: string) {
  await statement`
    update templates set read_at = now() - interval '11 minutes'
    where company_id = ${id} and name = coalesce(${name ?? null}, name)
  `;
}

/** A call that the test's sandbox has received. */
export interface SandboxCall {
  method: string;
  path: string;
}

/**
 * A sandbox for one test, which records every call.
 * @param answer returns a response instead of the sandbox, or null to let the sandbox respond.
 */
export function ownSandbox(
  answer: (
    call: SandboxCall,
    request: Request,
  ) => Response | null | Promise<Response | null> = () => null,
) {
  const channel = sandbox();
  const calls: SandboxCall[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const call = { method: request.method, path: new URL(request.url).pathname };
      if (call.path !== "/messages") calls.push(call);
      return await answer(call, request) ?? await channel.fetch(request);
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    url: `${origin}/v26.0`,
    /** All calls so far, except those to `/messages`, which `taken` makes. */
    calls,
    /** The number of calls with this method and a path that ends with this string. */
    count: (method: string, end: string) =>
      calls.filter((call) => call.method === method && call.path.endsWith(end)).length,
    /** The messages that the sandbox has accepted, newest first. */
    async taken(): Promise<SandboxMessage[]> {
      return (await (await fetch(`${origin}/messages`)).json()).data;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
