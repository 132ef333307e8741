import { call } from "./calls.ts";
import type { Company } from "./company.ts";
import type { FoundRow } from "./found_rows.ts";
import { snapshot } from "./snapshot.ts";
import { statement } from "./test_stack.ts";

/** The field that identifies a list row. */
export function idOf(path: string): string {
  return path === "/sends" ? "message_id" : "id";
}

/** All rows of a company's lists, read from the database and grouped by list path. */
export async function rowsOf(
  { id, keys, conversation_id }: Company,
): Promise<Record<string, FoundRow[]>> {
  const stored = await snapshot(id) as Record<string, FoundRow[]>;
  const shown = Object.entries(stored).map(([table, rows]) => [table, rows.map(asShown)]);
  const rows = Object.fromEntries(shown) as Record<string, FoundRow[]>;
  const { contacts, deals, pipelines, stages, conversations, teams } = rows;
  const { company_members, messages, templates, sends } = rows;
  // The view computes these fields from the payload.
  const parts = await statement`
    select id, case when type = 'location' then app.location_in(payload) end as location,
      case when type = 'contacts' then app.contact_cards_in(payload) end as contact_cards,
      case when direction = 'inbound' and type in ('interactive', 'button')
        then app.choice_in(payload) end as choice
    from messages where company_id = ${id}
  `;
  const partsOf = new Map(parts.map((each) => [each.id, each]));
  const people = await statement`select id, email from auth.users`;
  // The fields that are computed from a stored template come from the API, because no filter uses
  // these fields.
  const { body } = await call(keys.read, "GET", "/templates?limit=200");
  const made = new Map<string, FoundRow>(body.data.map((each: FoundRow) => [each.id, each]));
  const authorOf = ({ direction, type, author_type, author_id, author_name }: FoundRow) => {
    if (type === "system") return { id: null, name: null, type };
    if (direction === "outbound") {
      return author_type && { id: author_id, name: author_name, type: author_type };
    }
    const { contact_id } = conversations.find(({ id }) => id === conversation_id)!;
    const { name } = contacts.find(({ id }) => id === contact_id)!;
    return { id: contact_id, name, type: "person" };
  };
  return {
    "/contacts": contacts,
    // Callers can filter deals by the pipeline of their stage.
    "/deals": deals.map((deal) => {
      const { pipeline_id } = stages.find(({ id }) => id === deal.stage_id)!;
      return { ...deal, pipeline_id };
    }),
    "/pipelines": pipelines,
    "/stages": stages,
    "/conversations": conversations,
    "/conversations/{id}/messages": messages
      .filter((message) => message.conversation_id === conversation_id)
      .map((message) => ({ ...message, ...partsOf.get(message.id), author: authorOf(message) })),
    "/sends": sends.map((send) => {
      const message = messages.find((each) => each.id === send.message_id)!;
      const { contact_id } = conversations.find((each) => each.id === message.conversation_id)!;
      const { phone } = contacts.find((each) => each.id === contact_id)!;
      const { reason, channel_code: code } = send;
      const failure = message.failure ??
        (reason && { code, reason, details: null, message: null });
      return {
        ...message,
        ...send,
        ...{ id: send.message_id, contact_id, phone, failure, reason: failure && failure.reason },
        kind: send.template_name === null ? "reply" : "template",
        double_sent: send.double_sent_ids.length > 0,
        lease_ends_at: send.state === "pending" ? send.lease_ends_at : null,
      };
    }),
    "/teams": teams,
    "/members": company_members.map((member) => {
      const { email } = people.find((each) => each.id === member.user_id)!;
      return { ...member, id: member.user_id, email };
    }),
    "/templates": templates.map((template) => {
      const { variables, send, can_be_sent, why_not } = made.get(template.id)!;
      return { ...template, variables, send, can_be_sent, why_not };
    }),
  };
}

/** Converts the version to a string, because the API returns strings. */
function asShown(row: FoundRow): FoundRow {
  return "version" in row ? { ...row, version: String(row.version) } : row;
}
