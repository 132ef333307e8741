import { readEvent } from "../../supabase/functions/whatsapp/reading/event.ts";
import { base64 } from "../../supabase/functions/whatsapp/base64.ts";
import { ANA, newWorld } from "../whatsapp_function/told/world.ts";
import { rolledBack } from "../support/acting_as.ts";
import { rest } from "../support/rest.ts";
const cpu = () => {
  const t = (Deno as any).resourceUsage?.();
  return performance.now();
};
function body(world: any, statuses: any[], messages: any[], contacts: any[] = []) {
  return new TextEncoder().encode(JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{
      id: world.a.business_account_id,
      changes: [{
        field: "messages",
        value: {
          messaging_product: "whatsapp",
          metadata: {
            display_phone_number: "551140028922",
            phone_number_id: world.shift.numbers + "1",
          },
          contacts,
          statuses,
          messages,
        },
      }],
    }],
  }));
}
Deno.test({
  name: "perf",
  fn: async () => {
    const world = await newWorld();
    const now = Math.floor(Date.now() / 1000);
    const st = (n: number) =>
      Array.from({ length: n }, (_, i) => ({
        id: `wamid.P${i}`,
        status: "delivered",
        timestamp: String(now),
        recipient_id: "5511987654321",
        recipient_user_id: `BR.${i}`,
        biz_opaque_callback_data: `${crypto.randomUUID()}.1`,
        pricing: { billable: true, pricing_model: "PMP", type: "regular", category: "utility" },
      }));
    const ms = (n: number, text = "oi", people = n) =>
      Array.from(
        { length: n },
        (_, i) => ({
          id: `wamid.M${i}`,
          from: String(5511900000000 + (i % people)),
          from_user_id: `BR.M${i % people}`,
          timestamp: String(now),
          type: "text",
          text: { body: text },
        }),
      );
    const cs = (n: number) =>
      Array.from(
        { length: n },
        (_, i) => ({
          wa_id: String(5511900000000 + i),
          user_id: `BR.M${i}`,
          profile: { name: `P ${i}` },
        }),
      );
    const cases: [string, Uint8Array][] = [
      ["1000 known statuses", body(world, st(1000), [])],
      ["1000 messages of 1000 people", body(world, [], ms(1000), cs(1000))],
      ["1000 messages of 1 person", body(world, [], ms(1000, "oi", 1), cs(1))],
      ["10000 messages of 10000", body(world, [], ms(10000), cs(10000))],
      ["3MB: 40 x 65k", body(world, [], ms(40, "é".repeat(35000)), cs(40))],
    ];
    for (const [name, bytes] of cases) {
      let t = performance.now();
      const read = readEvent(bytes);
      const tr = performance.now() - t;
      t = performance.now();
      const b64 = base64(bytes);
      const payload = JSON.stringify({ app_key: world.app.app_key, body: b64, items: read.items });
      const tb = performance.now() - t;
      console.log(
        name,
        bytes.length,
        "items",
        read.items.length,
        "read ms",
        tr.toFixed(0),
        "encode ms",
        tb.toFixed(0),
        "payload",
        payload.length,
        read.problem,
      );
      await rolledBack(async (sql) => {
        if (name.includes("statuses")) {
          await sql`
      with written as (
        insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
        select ${world.a.id}, (select conversation_id from messages where id=${
            world.message_ids[1]
          }), 'outbound', 'Hello', 'accepted', 'wamid.P' || n
        from generate_series(0, 999) as n returning id, whatsapp_message_id)
      insert into sends (company_id, message_id, template_name, language_code, claim_id, state, whatsapp_message_id)
      select ${world.a.id}, id, 'order_update', 'pt_BR', gen_random_uuid(), 'sent', whatsapp_message_id from written`;
        }
        t = performance.now();
        const [{ r }] = await sql`select receive_channel_event(${world.app.app_key}, ${b64}, ${
          sql.json(read.items as any)
        }, null) as r`;
        console.log(
          "   rpc ms",
          (performance.now() - t).toFixed(0),
          JSON.stringify({ ...r, surprises: undefined }),
        );
        if (r.delayed) {
          for (let i = 0; i < 3; i++) {
            t = performance.now();
            const [{ a }] = await sql`select apply_channel_event(${r.event_id}, ${
              sql.json(read.items as any)
            }) as a`;
            console.log(
              "   apply ms",
              (performance.now() - t).toFixed(0),
              JSON.stringify({ ...a, surprises: undefined }),
            );
            if (!a.delayed) break;
          }
        }
      });
    }
  },
});
