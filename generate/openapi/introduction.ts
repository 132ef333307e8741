/** The description of the API as a whole. The rules come after this text. */
export const INTRODUCTION =
  `An API key belongs to **one company** and reaches only the data of that company.

- The **gateway** finds, creates and updates contacts and deals. It finds pipelines, stages, teams and members,
  finds and updates conversations, and lists their messages and the WhatsApp templates of your company. It also
  returns each record by its id.
- **send-external-template** sends an approved WhatsApp template to a phone. It records the conversation and the
  message, so that the platform's AI agent can answer in context.
- **whatsapp/messages** sends a free reply in a conversation, within 24 hours of the person's last message.

## Authentication

Send the API key as \`Authorization: Bearer sk_live_…\` or as \`X-Api-Key: sk_live_…\`. A key has one or more of the scopes
read, write, messaging and webhooks. Keep it on a server, never in a browser: no answer has CORS headers.

## Answers

A successful answer of the gateway is \`{ "data": … }\`. A list also has \`pagination\`.

An error is \`{ "error", "code", "request_id" }\`, with \`details\` when fields are wrong, and \`doc_url\` where the
operator hosts the pages that explain errors. Let your program decide by \`code\`, because \`error\` is a sentence
for people.

Every answer has the headers \`X-Request-Id\` and \`Cache-Control: no-store\`. Every path that supports GET also
supports HEAD, which returns no body.

## Requests

A request is checked in this order: method (only for operations that send messages), key, scope, parameters
and body, existence of the records, conflicts. A caller without a valid key gets only the error about the key.

Bodies and parameters are strict. The service refuses an unknown or read-only field, and the error names the field.
It never drops a field silently. You can send back a record in an update: the service ignores read-only fields that
are unchanged, and refuses read-only fields that have changed. The error about an unknown parameter lists the known
parameters, and suggests the most similar one.

## Changes without loss

Each answer with one whole record has its \`ETag\`: the record's \`version\` in double quotes. Records in lists have
the \`version\` too. (A template or a send has no \`version\`; its ETag is a digest of the answer.)

- **\`Idempotency-Key: <your own name for the request>\`** on a POST of the gateway makes it safe to repeat the request within
  24 hours. The repeat writes nothing: it returns the records that the first request made, in their current state, with
  \`Idempotent-Replayed: true\`. A request that fails does not use up the key. For a send, use \`idempotency_key\`
  in its body.
- **\`If-Match: "<version>"\`** on a PATCH changes the record only if no one else has changed it since you read
  it. Otherwise the answer is a 412 \`precondition_failed\` with the current ETag, and nothing is written.
- **\`If-None-Match: "<version>"\`** on a GET of one record returns a 304 without a body while your copy is current.
- **A protective header that the operation does not support** is a 400 \`header_not_accepted\`: \`If-Unmodified-Since\` and
  \`Idempotency-Key\` on a PATCH, PUT or DELETE, \`If-Match\` where no version is compared, \`If-None-Match\` on a list.
- **\`Content-Type: application/merge-patch+json\`** makes a PATCH a JSON Merge Patch (RFC 7396): any field may be left out,
  \`null\` removes a value, and \`custom_fields\` is merged key by key. With \`application/json\`, \`custom_fields\` is replaced as a
  whole.

## Lists

Every list has the same parameters. Each list says which operators each field supports.

- **Filters.** \`field=a\` finds the records with this value, \`field=a,b\` the records with one of these values. An
  operator comes in brackets after the field. \`[ne]\`: none of these values; a record without a value is found too.
  \`[gt]\`, \`[gte]\`, \`[lt]\`, \`[lte]\`: a range. \`[contains]\`: a part of a text. \`[all]\`: all of these values. \`[empty]\`: no
  value. A list has only the records that match all filters of the request.
- **Words.** \`q\` finds contacts and deals by words. \`GET /search\` searches contacts, deals and conversations
  together, the best match first.
- **Your own fields.** \`custom_fields.<key>=a\` finds contacts by a custom field.
- **Order.** \`sort=name\` is ascending order and \`sort=-name\` is descending order.
- **Pages.** For the next page, send \`next_cursor\` as \`cursor\`, with the same filters and \`sort\`. Continue
  until \`has_more\` is \`false\`. With \`sort=created_at\` or \`sort=-created_at\`, each record comes exactly once,
  even if records are written at the same time. With any other order, this is true only while no record changes.
- **Total.** \`include_total=true\` counts the records that the filters find, up to 100,000. If there are more,
  \`total\` is 100,000 and \`total_relation\` is \`"gte"\`.
- **Shape.** \`fields=id,name\` returns only these fields. \`include=contact\` adds the contact of each record. Both
  also work for a single record.

If a query takes longer than three seconds, because no index fits it, the answer is a 422 \`query_too_expensive\`.
Add a filter that matches few records: then the query is quick, even if it has other filters.

## Keep a copy in step

First read \`…/changes\` of a resource with \`start=beginning\`. Every page has a \`next_cursor\`: store it, and
send it as \`cursor\` in the next request. While \`has_more\` is true, send the next request immediately. When
\`has_more\` is false, wait some time before the next request. Each change is a record in its current state: store
it in place of your row that has the same \`id\`. A \`DeletedRow\` has \`deleted_at\`: remove your row that has the
same \`id\`. A change may come more than once, and it is always the latest version of the record. On a 410
\`cursor_expired\`, start again with an empty copy.

## Rules

These rules apply in addition to the schemas:
`;
