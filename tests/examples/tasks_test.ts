// Tests the tasks of a developer who integrates the API. Each task is done with curl and with the
// client.
import assert from "node:assert/strict";
import { APIError, type Contact, CRM } from "../../client/src/main.ts";
import { baseUrl, crm, PROMOTION, REFUSAL, refusal, stage_id, task } from "./tasks.ts";

task(
  "a send's idempotency key belongs to one message, and is refused for another person",
  [[true, false], [true, true], ["idempotency_key_reused", "phone"]],
  `for TIME in 1 2; do post send-external-template "$MESSAGE" | jq -c '[.success, .idempotent_hit]'; done
post send-external-template "\${MESSAGE/$PHONE/$OTHER}" | ${REFUSAL}`,
  async ({ message, other }) => {
    const hit = async () => {
      const sent = await crm.templates.send(message);
      return [sent.success, "idempotent_hit" in sent && sent.idempotent_hit];
    };
    const toOther = { ...message, phone: other };
    return [await hit(), await hit(), await refusal(crm.templates.send(toOther))];
  },
);

task(
  "an upsert keeps what another system wrote",
  [[["news", "shop"], { news: 1, shop: { orders: 3 } }], ["shop", "vip"]],
  `put contacts '{"phone":"'$PHONE'","tags":["shop"],"custom_fields":{"shop":{"orders":3}}}' > /dev/null
READ=$(put "contacts?on_conflict=merge" '{"phone":"'$PHONE'","tags":["news"],"custom_fields":{"news":1}}')
jq -c '.data | [(.tags | sort), .custom_fields]' <<< $READ
patch contacts/$(jq -r .data.id <<< $READ) '{"add_tags":["vip"],"remove_tags":["news"]}' | jq -c '.data.tags | sort'`,
  async ({ phone }) => {
    await crm.contacts.put({ phone, tags: ["shop"], custom_fields: { shop: { orders: 3 } } });
    const news = { phone, tags: ["news"], custom_fields: { news: 1 } };
    const read = await crm.contacts.put(news, { on_conflict: "merge" });
    const tags = { add_tags: ["vip"], remove_tags: ["news"] };
    const { tags: changed } = await crm.contacts.update(read.id, tags);
    return [[read.tags.sort(), read.custom_fields], changed.sort()];
  },
);

task(
  "a shop's preference page stops marketing messages, and allows them again",
  [[true, "manual"], [false, "marketing_opt_out"], [false, null], [true, null]],
  `for OUT in true false; do
  put contacts '{"phone":"'$PHONE'","marketing_opt_out":'$OUT'}' \
    | jq -c '.data | [.marketing_opt_out, (select(.marketing_opt_out) | .marketing_opt_out_source) // null]'
  post send-external-template "\${MESSAGE/order_update/${PROMOTION}}" | jq -c '[.success, .reason]'
done`,
  async ({ phone, message }) => {
    const shown = [];
    for (const marketing_opt_out of [true, false]) {
      const contact = await crm.contacts.put({ phone, marketing_opt_out });
      const source = contact.marketing_opt_out ? contact.marketing_opt_out_source : null;
      const sent = await crm.templates.send({ ...message, template_name: PROMOTION });
      shown.push([contact.marketing_opt_out, source]);
      shown.push([sent.success, "reason" in sent ? sent.reason : null]);
    }
    return shown;
  },
);

task(
  "a person who wrote STOP gets no reply",
  [[true, "word"], [false, "do_not_contact"]],
  `FOUND=$(find phone=$PHONE -d include=conversations | jq -c '.data[0]')
jq -c '[.do_not_contact, .do_not_contact_source]' <<< $FOUND
CONVERSATION=$(jq -r '.conversations.data[0].id' <<< $FOUND)
post whatsapp/messages '{"conversation_id":"'$CONVERSATION'","text":"Amanhã"}' | jq -c '[.success, .reason]'`,
  async ({ phone }) => {
    const [found] = (await crm.contacts.list({ phone, include: "conversations" })).data;
    const [{ id }] = found.conversations.data;
    const reply = await crm.conversations.reply(id, { text: "Amanhã" });
    const reason = "reason" in reply && reply.reason;
    return [[found.do_not_contact, found.do_not_contact_source], [reply.success, reason]];
  },
  ["Onde está o meu pedido?", "STOP"],
);

const UNMODIFIED = { "If-Unmodified-Since": "Sun, 22 Nov 2026 09:30:00 GMT" };
task(
  "a change with If-Unmodified-Since is refused, because the API does not support this header",
  [["header_not_accepted", "If-Unmodified-Since"], "Ada"],
  `CONTACT=$(put contacts '{"phone":"'$PHONE'","name":"Ada"}' | jq -r .data.id)
patch contacts/$CONTACT '{"name":"Late"}' \
  -H "If-Unmodified-Since: ${UNMODIFIED["If-Unmodified-Since"]}" | ${REFUSAL}
curl $API/gateway/contacts/$CONTACT | jq -c .data.name`,
  async ({ phone }) => {
    const { id } = await crm.contacts.put({ phone, name: "Ada" });
    const update = crm.contacts.update(id, { name: "Late" }, { headers: UNMODIFIED });
    return [await refusal(update), (await crm.contacts.get(id)).name];
  },
);

task(
  "a search finds a person by the phone number in any usual notation",
  [["João"], ["João"], ["João"], ["João"]],
  `put contacts '{"phone":"+552199000'$ID'","name":"João"}' > /dev/null
for WORDS in "q=+55 (21) 99000-$ID" q=2199000$ID q=99000-$ID "phone=55 21 99000-$ID"; do
  find "$WORDS" | jq -c '[.data[].name]'
done`,
  async ({ id }) => {
    await crm.contacts.put({ phone: `+552199000${id}`, name: "João" });
    const words = [`+55 (21) 99000-${id}`, `2199000${id}`, `99000-${id}`].map((q) => ({ q }));
    const queries = [...words, { phone: `55 21 99000-${id}` }];
    const pages = await Promise.all(queries.map((query) => crm.contacts.list(query)));
    return pages.map(({ data }) => data.map(({ name }) => name));
  },
);

task(
  "a filter on a nested custom field finds the person, and a range filter is refused",
  [["Maya"], ["invalid_request", "custom_fields.opening.seats[gte]"]],
  `put contacts '{"phone":"'$PHONE'","name":"Maya","custom_fields":{"opening":{"city":"City '$ID'"}}}' > /dev/null
find "custom_fields.opening.city=City $ID" | jq -c '[.data[].name]'
find "custom_fields.opening.seats[gte]=2" | ${REFUSAL}`,
  async ({ phone, id }) => {
    const city = `City ${id}`;
    await crm.contacts.put({ phone, name: "Maya", custom_fields: { opening: { city } } });
    const { data } = await crm.contacts.list({ "custom_fields.opening.city": city });
    const range = crm.contacts.list({ "custom_fields.opening.seats[gte]": "2" });
    return [data.map(({ name }) => name), await refusal(range)];
  },
);

task(
  "one request shows a key's company, name and scopes, or that the key is invalid",
  [["Test", "test", ["messaging", "read", "webhooks", "write"], "local"], ["invalid_api_key"]],
  `curl $API/gateway/me | jq -c '.data | [.company.name, .key.name, .key.scopes, .environment]'
KEY=sk_live_wrong; curl $API/gateway/me | ${REFUSAL}`,
  async () => {
    const { company, key, environment } = await crm.me();
    const wrong = new CRM({ apiKey: "sk_live_wrong", baseUrl }).me();
    return [[company.name, key.name, key.scopes, environment], await refusal(wrong)];
  },
);

const GONE = "+15550131026"; // a phone number that the sandbox cannot reach
task(
  "a list of sends shows the newest failed send and its reason",
  [["recipient_unreachable"], [true, "recipient_unreachable", "order_update"]],
  `post send-external-template "\${MESSAGE/$PHONE/${GONE}}" | ${REFUSAL}
curl "$API/gateway/sends?state=failed&limit=1" \
  | jq -c '.data[0] | [.idempotency_key == "send-'$ID'", .failure.reason, .template_name]'`,
  async ({ message }) => {
    const refused = await refusal(crm.templates.send({ ...message, phone: GONE }));
    const [send] = (await crm.sends.list({ state: "failed", limit: 1 })).data;
    const isOwn = send.idempotency_key === message.idempotency_key;
    return [refused, [isOwn, send.failure?.reason, send.template_name]];
  },
);

task(
  "a conversation shows who wrote each message: the key that replied, and the person",
  [true, ["key", "test"], ["person", "Ada"]],
  `CONTACT=$(put contacts '{"phone":"'$PHONE'","name":"Ada"}' | jq -r .data.id)
CONVERSATION=$(curl "$API/gateway/conversations?contact_id=$CONTACT" | jq -r '.data[0].id')
post whatsapp/messages '{"conversation_id":"'$CONVERSATION'","text":"Amanhã"}' | jq -c .success
curl $API/gateway/conversations/$CONVERSATION/messages | jq -c '.data[].author | [.type, .name]'`,
  async ({ phone }) => {
    const { id: contact_id } = await crm.contacts.put({ phone, name: "Ada" });
    const [{ id }] = (await crm.conversations.list({ contact_id })).data;
    const { success } = await crm.conversations.reply(id, { text: "Amanhã" });
    const { data } = await crm.conversations.messages(id);
    return [success, ...data.map(({ author }) => [author?.type, author?.name])];
  },
  ["Onde está o meu pedido?"],
);

task(
  "a contact is read with its deals and conversations, and an update may repeat unchanged read-only fields",
  [[["Brisa"], 1], ["invalid_request", "created_at"], "Ada L."],
  `CONTACT=$(put contacts '{"phone":"'$PHONE'","name":"Ada"}' | jq -r .data.id)
post gateway/deals '{"title":"Brisa","contact_id":"'$CONTACT'","stage_id":"'$STAGE'"}' > /dev/null
curl "$API/gateway/contacts/$CONTACT?include=deals,conversations" \
  | jq -c '.data | [[.deals.data[].title], (.conversations.data | length)]'
READ=$(curl $API/gateway/contacts/$CONTACT | jq -c .data)
patch contacts/$CONTACT "$(jq -c '.created_at = "2026-01-01T00:00:00Z"' <<< $READ)" | ${REFUSAL}
patch contacts/$CONTACT "$(jq -c '.name = "Ada L."' <<< $READ)" | jq -c .data.name`,
  async ({ phone }) => {
    const { id } = await crm.contacts.put({ phone, name: "Ada" });
    await crm.deals.create({ title: "Brisa", contact_id: id, stage_id });
    const whole = await crm.contacts.get(id, { include: ["deals", "conversations"] });
    const read = await crm.contacts.get(id) as Contact & { phone: string };
    const wrong = { ...read, created_at: "2026-01-01T00:00:00Z" };
    const refused = await refusal(crm.contacts.update(id, wrong));
    const { name } = await crm.contacts.update(id, { ...read, name: "Ada L." });
    return [
      [whole.deals.data.map(({ title }) => title), whole.conversations.data.length],
      refused,
      name,
    ];
  },
  ["Olá"],
);

task(
  "an import that runs again a week later creates no contact twice, although a phone number has changed",
  [[2, 0, 0], [0, 1, 1], 2],
  `for LATER in $PHONE \${PHONE}99; do
  post "gateway/contacts/batch?match=external_id&on_conflict=update" '{"items":[
    {"external_id":"a-'$ID'","phone":"'$LATER'"},{"external_id":"b-'$ID'","phone":"'$OTHER'"}]}' \
    | jq -c '.summary | [.created, .updated, .unchanged]'
done
find external_id=a-$ID,b-$ID -d include_total=true | jq -c .pagination.total`,
  async ({ phone, other, id }) => {
    const [a, b] = [`a-${id}`, `b-${id}`];
    const query = { match: "external_id", on_conflict: "update" } as const;
    const shown = [];
    for (const later of [phone, `${phone}99`]) {
      const items = [{ external_id: a, phone: later }, { external_id: b, phone: other }];
      const { summary } = await crm.contacts.createMany(items, query);
      shown.push([summary.created, summary.updated, summary.unchanged]);
    }
    const page = await crm.contacts.list({ external_id: [a, b], include_total: true });
    return [...shown, page.pagination.total];
  },
);

task(
  "the error about a wrong field name suggests the right name",
  [["company", "empresa"], ["labels", "tags"]],
  `post gateway/contacts '{"phone":"'$PHONE'","company":"Engines","labels":["vip"]}' \
  | jq -c '.details[] | [.field, (.message | capture("mean (?<name>\\\\w+)").name)]'`,
  async ({ phone }) => {
    const wrong = { phone, company: "Engines", labels: ["vip"] };
    const error = await crm.contacts.create(wrong).then(() => assert.fail(), (error) => error);
    assert.ok(error instanceof APIError);
    return error.details.map(({ field, message }) => [field, /mean (\w+)/.exec(message)![1]]);
  },
);

task(
  "1,200 contacts are created in three batches, and the progress is shown",
  [[500, 1200], [1000, 1200], [1200, 1200]],
  `DONE=0
for FROM in 0 500 1000; do
  ITEMS=$(jq -nc "{items: [range($FROM; [$FROM + 500, 1200] | min) | {phone: \\"+1415$ID\\(. + 10000)\\"}]}")
  DONE=$((DONE + $(post gateway/contacts/batch "$ITEMS" | jq .summary.created))); echo "[$DONE,1200]"
done`,
  async ({ id }) => {
    const told: unknown[] = [];
    const items = Array.from({ length: 1200 }, (_, at) => ({ phone: `+1415${id}${at + 10000}` }));
    await crm.contacts.createMany(items, {}, {
      onProgress: ({ done, total, failed }) => told.push([done - failed, total]),
    });
    return told;
  },
);

// Transactions of other tests delay the changes, so both variants ask until they receive a change.
task(
  "the changes since a cursor keep a copy up to date",
  [["Ada", false], ["Ada", true]],
  `CURSOR=$(curl "$API/gateway/contacts/changes?start=now" | jq -r .pagination.next_cursor)
next() {
  local PAGE=[]
  until jq -ce --arg id $1 '.data[]? | select(.id == $id) | [.name, .archived_at != null]' <<< $PAGE; do
    PAGE=$(curl "$API/gateway/contacts/changes?cursor=$CURSOR")
    CURSOR=$(jq -r .pagination.next_cursor <<< $PAGE)
  done
}
CONTACT=$(put contacts '{"phone":"'$PHONE'","name":"Ada"}' | jq -r .data.id); next $CONTACT
curl -X DELETE $API/gateway/contacts/$CONTACT; next $CONTACT`,
  async ({ phone }) => {
    let cursor = (await crm.contacts.changes({ start: "now" })).nextCursor!;
    const { id } = await crm.contacts.put({ phone, name: "Ada" });
    const next = async () => {
      while (true) {
        const page = await crm.contacts.changes({ cursor });
        cursor = page.nextCursor!;
        const change = page.data.find((row) => row.id === id);
        if (change && "name" in change) return [change.name, change.archived_at !== null];
      }
    };
    const created = await next();
    await crm.contacts.archive(id);
    return [created, await next()];
  },
);
