// Sends channel events for a new company, and reads their results.
import {
  type ChannelApp,
  eventsOf,
  messagesFrom,
  nameChannelApp,
} from "../support/channel_apps.ts";
import { type Company, newCompany } from "../support/company.ts";
import { ownWhatsapp } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

/** Creates a company whose account is assigned to a new app. */
export async function companyWithApp(): Promise<{ company: Company; app: ChannelApp }> {
  const company = await newCompany();
  const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
  return { company, app };
}

/** Returns a phone number that no contact has. */
export function anyPhone(): string {
  return `55119${
    crypto.getRandomValues(new Uint32Array(1))[0].toString().padStart(10, "0").slice(-8)
  }`;
}

/** The body of an event, with messages from a contact or with another change. */
export function eventBody(
  phone_number_id: string,
  texts: string[],
  { phone = anyPhone(), more = {} as Record<string, unknown>, field = "messages" } = {},
): string {
  const messages = texts.map((body) => ({ text: { body } }));
  const contact = { profile: { name: "Somebody" } };
  const event = JSON.parse(messagesFrom(phone, phone_number_id, messages, contact));
  const [change] = event.entry[0].changes;
  Object.assign(change, { field, value: { ...change.value, ...more } });
  return JSON.stringify(event);
}

/** The texts of a company's inbound messages, by conversation and in order of arrival. */
export async function inboundOf({ id }: Pick<Company, "id">): Promise<string[][]> {
  return await withDatabase(async (sql) =>
    (await sql<{ contents: string[] }[]>`
      select array_agg(content order by created_at, id) as contents from messages
      where company_id = ${id} and direction = 'inbound' group by conversation_id order by min(created_at)
    `).map(({ contents }) => contents)
  );
}

/** The states of an app's events, oldest first. */
export async function statesOf(app: ChannelApp): Promise<string[]> {
  return (await eventsOf(app)).map(({ state }) => state);
}

const own = await ownWhatsapp("http://127.0.0.1:9");

/**
 * Runs the channel events job. If another run is in progress, such as a run of the stack, waits
 * until that run ends.
 * @param app If given, the job runs until none of this app's events is due. A run skips events that
 * a database test has locked.
 * @param run the function that runs the job.
 */
export async function runChannelJob(app?: ChannelApp, run = own) {
  let answer = await run("channel-events");
  await until(async () => {
    if (answer.status !== 409 && !(app && await hasDueEvents(app))) return true;
    answer = await run("channel-events");
    return false;
  });
  return answer;
}

async function hasDueEvents({ id }: ChannelApp): Promise<boolean> {
  const due = await statement`
    select from channel_events where channel_app_id = ${id} and next_attempt_at <= now()
  `;
  return due.length > 0;
}

/** Makes an app's events due, as if the pause after a failure had ended. */
export async function endPauses({ id }: ChannelApp) {
  await statement`
    update channel_events set next_attempt_at = now() where channel_app_id = ${id} and next_attempt_at > now()
  `;
}
