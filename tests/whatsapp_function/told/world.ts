import type { Sql } from "../../support/acting_as.ts";
import { addChannelApp, type ChannelApp } from "../../support/channel_apps.ts";
import { addTemplate, connectAccount } from "../../support/company.ts";
import { withDatabase } from "../../support/test_stack.ts";
import { newShift, type Shift } from "./fixtures.ts";

/** The rows that a test creates for the companies, contacts and sends in the fixtures. */
export interface World {
  shift: Shift;
  app: ChannelApp;
  a: { id: string; account_id: string; other_account_id: string; business_account_id: string };
  b: { id: string; account_id: string; business_account_id: string };
  /** The contact Ana in company A. */
  ana_id: string;
  /** The message ids of the sends, by the number of the send. */
  message_ids: Record<number, string>;
}

export const ANA = { phone: "+5511987654321", user_id: "BR.1043781234567890" };
const BIA = { user_id: "BR.5043781234567894" };

/** The channel's message ids of the sends, by the number of the send. */
const WAMIDS: Record<number, string> = {
  1: "wamid.HQMMImVrkY2m6BOMQMzXeJ2KzqERCglYpzF3SsyDNJjcIBM=",
  2: "wamid.HQMM1zYqZBVNYVkzAA4t+9aY6ONSpks03FONQnKE7IA5FPc=",
  3: "wamid.HQMM9u0dUk0WmEXDkhw3P2vPdUYOcDsVFlZVukzBPusSpP8=",
  4: "wamid.HQMMRLclykH0Qz6LYwbuWwC9d7pmaXpNRwlWKkZXRKfqd6w=",
  5: "wamid.HQMMFWSfogm5rR8jRQhjGY8DMAhQJT0zZpYqNsoomCxLjrA=",
  6: "wamid.HQMMZoox+sgraQLlIjY2R5XL73lO33gNBQcaPjKeH/+x6Dc=",
  7: "wamid.HQMMPlqJ3DZTbiEsQ94KIDUJhMVuw1PPJCeE3XXeFqODY/Y=",
  8: "wamid.HQMMs/ceP7/iC2M/4YPBsjmtCEsjQ5uc2ce+USLSZ80nxzo=",
  9: "wamid.HQMMHATkFg7QiI4YVJ4FPEqHnC/qcIAje4Wxqg7etMbuSA8=",
  10: "wamid.HQMMccTFC6Sogebf5myKBWn2QHkzx81LN26QdIp0GgX4Oi0=",
  11: "wamid.HQMMPdZ3M56A8KncfaK3ZOWbjCjz4qD+euAUvz/PP+Xp3aw=",
  12: "wamid.HQMMs4zibH7kg8UcS/HfGWY3l3xn2AHXyKuvoWSqg481y90=",
  13: "wamid.HQMMkullhvzEVOadDmOt2IuC7CbEKfEQ1DddlHtMiScvw7Q=",
  14: "wamid.HQMMJv0Gg3+Zssm9L3Phf1HLQVCmCDv/0YIMPuwGpYDf0vQ=",
  15: "wamid.HQMMQsJHbgSUd/+I7RmPv21DrTCm02nsbozuvGhj8jdPQgU=",
  16: "wamid.HQMMpxSzRFF5pkvno1rqK5VXk1iHqVKNaFO8HTECbG6Gufk=",
  17: "wamid.HQMMw8Aq6tfsuWgjq66/Zi6iGkDcPbl7lbw/a93OfROvlYA=",
};

/** Creates the rows of a new world. */
export async function newWorld(): Promise<World> {
  const shift = newShift();
  return await withDatabase((sql) =>
    sql.begin(async (sql) => {
      const app = await addChannelApp(sql);
      const company = async (number: number, name: string) => {
        const [{ id }] = await sql`insert into companies (name) values (${name}) returning id`;
        const business_account_id = `${shift.businesses}${number}`;
        const account = await connect(sql, id, app, `${shift.numbers}${number}`, {
          business_account_id,
          display_phone: number === 1 ? "+551140028922" : "+525588880000",
        });
        return { id, account_id: account, business_account_id };
      };
      const [a, b] = [await company(1, "Company A"), await company(2, "Company B")];
      const other_account_id = await connect(sql, a.id, app, `${shift.numbers}3`, {
        business_account_id: a.business_account_id,
        display_phone: "+551140028933",
      });
      await addTemplate(sql, a.id, {
        business_account_id: a.business_account_id,
        language: "pt_BR",
        read_at: new Date(Date.now() - 3_600_000),
      });
      await sql`
        update template_catalogues
        set synced_at = now() - interval '1 hour', sync_due_at = now() + interval '1 day'
        where company_id = ${a.id}
      `;

      const ana_id = await addContact(sql, a.id, { name: "Ana Souza", phone: ANA.phone });
      await addContact(sql, a.id, { name: "João", phone: "+5511987650001" });
      const luz_id = await addContact(sql, b.id, { name: "Luz Hernández", phone: "+525512345678" });
      const message_ids: Record<number, string> = {};
      const ofA = await addConversation(sql, a.id, ana_id, a.account_id);
      const ofB = await addConversation(sql, b.id, luz_id, b.account_id);
      for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17]) {
        message_ids[number] = await addSend(sql, shift, number, a.id, ofA);
      }
      message_ids[13] = await addSend(sql, shift, 13, b.id, ofB);
      const bia_id = await addContact(sql, a.id, {
        ...{ name: "Bia ✨", phone: null, has_identity: true, source: "whatsapp" },
      });
      await sql`
        insert into contact_identities (company_id, contact_id, user_id, business_account_id)
        values (${a.id}, ${bia_id}, ${BIA.user_id}, ${a.business_account_id})
      `;
      const ofBia = await addConversation(sql, a.id, bia_id, a.account_id);
      message_ids[16] = await addSend(sql, shift, 16, a.id, ofBia);
      return { shift, app, a: { ...a, other_account_id }, b, ana_id, message_ids };
    })
  );
}

async function connect(
  sql: Sql,
  companyId: string,
  { id }: ChannelApp,
  phone_number_id: string,
  columns: { business_account_id: string; display_phone: string },
): Promise<string> {
  const account = await connectAccount(sql, companyId, { phone_number_id, ...columns });
  await sql`
    update messaging_accounts set channel_app_id = ${id}, created_at = now() - interval '1 year'
    where id = ${account.id}
  `;
  await sql`
    update account_connections set connected_at = now() - interval '1 year'
    where account_id = ${account.id}
  `;
  return account.id;
}

async function addContact(
  sql: Sql,
  company_id: string,
  columns: { name: string; phone: string | null; has_identity?: boolean; source?: string },
): Promise<string> {
  const [{ id }] = await sql`insert into contacts ${sql({ company_id, ...columns })} returning id`;
  return id;
}

async function addConversation(
  sql: Sql,
  company_id: string,
  contact_id: string,
  messaging_account_id: string,
): Promise<string> {
  const [{ id }] = await sql`
    insert into conversations ${sql({ company_id, contact_id, messaging_account_id })}
    returning id
  `;
  return id;
}

/**
 * Adds a send that the channel accepted three minutes ago. Only the outcome of send 14 is unknown.
 * Send 7 is a free reply.
 */
async function addSend(
  sql: Sql,
  { sends }: Shift,
  number: number,
  company_id: string,
  conversation_id: string,
): Promise<string> {
  const isKnown = number !== 14;
  const created_at = new Date(Date.now() - 180_000);
  const whatsapp_message_id = isKnown ? WAMIDS[number] : null;
  const [{ id: message_id }] = await sql`insert into messages ${
    sql({
      ...{ company_id, conversation_id, created_at, whatsapp_message_id },
      direction: "outbound",
      content: `Send ${number}`,
      outcome: isKnown ? "accepted" : "failed",
    })
  } returning id`;
  const template = { template_name: "order_update", language_code: "pt_BR" };
  await sql`insert into sends ${
    sql({
      id: `${sends}-0000-4000-8000-${String(number).padStart(12, "0")}`,
      ...{ company_id, message_id, created_at, whatsapp_message_id },
      ...(number === 7 ? { template_name: null, language_code: null } : template),
      idempotency_key: `send-${number}`,
      state: isKnown ? "sent" : "failed",
      reason: isKnown ? null : "outcome_unknown",
      claim_id: crypto.randomUUID(),
      lease_ends_at: new Date(created_at.getTime() + 90_000),
      media_id: number === 5 ? "media5" : null,
    })
  }`;
  return message_id;
}
