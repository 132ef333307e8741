/** The description of the API as a whole. The rules follow it. */
export const INTRODUCTION =
  `An API key belongs to **one company** and reaches only the data of that company.

- The **gateway** finds, creates and updates contacts and deals. It finds pipelines, stages, teams and members, finds
  and updates conversations, and shows their messages and the WhatsApp templates of your company. Each record is also
  answered by its id.
- **send-external-template** sends an approved WhatsApp template to a phone. It records the conversation and the
  message, so that the platform's AI agent can answer in context.
- **whatsapp/messages** sends a free reply in a conversation, within 24 hours of the person's last message.

## Authentication

Send the API key as \`Authorization: Bearer sk_live_…\` or as \`X-Api-Key: sk_live_…\`. A key has one or more of the scopes
read, write and messaging. Keep it on a server, never in a browser: no answer has CORS headers.

## Answers

A success of the gateway is \`{ "data": … }\`. A list also has \`pagination\`.

An error is \`{ "error", "code", "request_id" }\`, with \`details\` when fields are wrong, and \`doc_url\`
where the operator hosts the pages that explain errors. Decide by \`code\`; \`error\` is a
sentence for people.

Every answer has the headers \`X-Request-Id\` and \`Cache-Control: no-store\`. Every path that answers GET also answers
HEAD, without the body.

## Requests

A request is judged in this order: method (of what sends only), key, scope, parameters and body, existence and
conflicts. A caller without a valid key learns nothing else.

Bodies and parameters are strict. A field that is unknown or read-only is refused by name, and nothing is dropped in
silence. The error about a parameter lists those that there are, and suggests the nearest.

## Changes without loss

Each answer with one whole record carries its \`ETag\`: the record's \`version\`, which lists have too, in double quotes. (A
template or a send has no \`version\`; its ETag is a digest of the answer.)

- **\`Idempotency-Key: <a name of your own>\`** on a POST of the gateway has a repeat of the request, within 24 hours, write
  nothing: it answers the records that the first request made, as they are now, with \`Idempotent-Replayed: true\`. What
  fails uses up no key. A send is named by \`idempotency_key\` in its body.
- **\`If-Match: "<version>"\`** on a PATCH changes the record only if nobody else has since you read it. Otherwise the
  answer is a 412 \`precondition_failed\` with the present ETag, and nothing is written.
- **\`If-None-Match: "<version>"\`** on a GET of one record answers a 304 without a body while you have it as it is.
- **\`Content-Type: application/merge-patch+json\`** makes a PATCH a JSON Merge Patch (RFC 7396): any field may be left out,
  \`null\` removes, and \`custom_fields\` is merged key by key. With \`application/json\`, \`custom_fields\` is replaced as a
  whole.

## Lists

Every list takes the same parameters. Which field takes which of them, each list says.

- **Filters.** \`field=a\` finds the records with this value, \`field=a,b\` those with one of these. An operator
  stands in brackets behind the field: \`[ne]\` none of these values or no value, \`[gt]\`, \`[gte]\`, \`[lt]\` and
  \`[lte]\` a range, \`[contains]\` a part of a text, \`[all]\` all of these values, \`[empty]\` no value. A record
  meets all filters of a request.
- **Words.** \`q\` finds contacts and deals by words. \`GET /search\` finds them and conversations at once, best first.
- **Fields of your own.** \`custom_fields.<key>=a\` finds contacts by them.
- **Order.** \`sort=name\` ascends and \`sort=-name\` descends.
- **Pages.** For the next page, send \`next_cursor\` as \`cursor\`, with the same filters and \`sort\`. Only
  \`has_more: false\` ends a walk. A walk by \`created_at\` shows each record once, also while records are written;
  in any other order it does so only while they rest.
- **Total.** \`include_total=true\` counts what the filters find, and says \`total_relation: "gte"\` above 100,000.
- **Shape.** \`fields=id,name\` answers only these fields, \`include=contact\` adds the contact of each record. A
  single record takes both too.

A query that no index serves within three seconds is a 422 \`query_too_expensive\`. One filter that few records meet
makes any combination quick.

## Keep a copy in step

Read \`…/changes\` of a resource from \`start=beginning\`, and go on with each \`next_cursor\`, which every page has; keep
it. While \`has_more\` is true, go on at once, else after a while. Put each row in the place of the one that you have
under its \`id\`, and remove the id of a \`DeletedRow\`, which has \`deleted_at\`. A change may come more than once, always
in the record's latest version. On a 410 \`cursor_expired\`, begin anew with an empty copy.

## Rules

These rules apply beside the schemas:
`;
