/** The introduction to the OpenAPI document. The rules follow this text. */
export const INTRODUCTION =
  `An API key belongs to **one company** and can access only that company's data.

- The **gateway** finds, creates and updates contacts and deals. It also finds pipelines, stages, teams and
  members, finds and updates conversations, and lists their messages and your company's WhatsApp templates.
  Each record can also be read by its id.
- **send-external-template** sends an approved WhatsApp template to a phone number. It records the conversation and
  the message, so that the platform's AI agent can reply in context.
- **whatsapp/messages** sends a free reply in a conversation, within 24 hours after the contact's last message.

## Authentication

Send the API key as \`Authorization: Bearer sk_live_…\` or as \`X-Api-Key: sk_live_…\`. A key has one or more of the scopes
\`read\`, \`write\`, \`messaging\` and \`webhooks\`. Keep the key on a server, never in a browser: no response has CORS
headers.

## Answers

A successful response from the gateway is \`{ "data": … }\`. A list also has \`pagination\`.

An error is \`{ "error", "code", "request_id" }\`. If fields are invalid, the error has \`details\`. If the operator
hosts the pages that explain errors, the error has \`doc_url\`. Your program should use \`code\` to decide what to do,
because \`error\` is text for people.

Every response has the headers \`X-Request-Id\` and \`Cache-Control: no-store\`. Every path that supports GET also
supports HEAD, which returns no body.

## Requests

A request is checked in this order: method (only for operations that send messages), key, scope, parameters
and body, existence of the records, conflicts. Without a valid key, the caller receives only the error about the key.

Bodies and parameters are strict. The service refuses an unknown or read-only field, and the error names the field.
The service never drops a field silently. An update may contain the whole record: the service ignores read-only
fields that are unchanged, and refuses read-only fields that have changed. Only the update of a webhook refuses
every read-only field, because each delivery changes the webhook. The error about an unknown parameter lists the
known parameters, and suggests the most similar parameter.

## Changes without loss

Each response with one whole record has an \`ETag\`: the record's \`version\` in double quotes. Records in lists also
have a \`version\`. (A template or a send has no \`version\`; its ETag is a digest of the response.)

- **\`Idempotency-Key: <your own key for the request>\`** makes it safe to repeat a POST request to the gateway within
  24 hours. The repeated request writes nothing. It returns the records that the first request created, in their
  current state, with \`Idempotent-Replayed: true\`. A request that fails does not use up the key. For a send, use
  \`idempotency_key\` in the body.
- **\`If-Match: "<version>"\`** on a PATCH changes the record only if no one else has changed it since you read
  it. Otherwise, the service writes nothing and returns a 412 \`precondition_failed\` with the current ETag.
- **\`If-None-Match: "<version>"\`** on a GET of one record returns a 304 without a body while your copy is current.
- **A header that would have no effect** causes a 400 \`header_not_accepted\`: \`Idempotency-Key\` on a PATCH, a PUT,
  a DELETE, an upload or a read receipt, \`If-Match\` on a request that compares no version, \`If-None-Match\` on a
  list or a write, and \`If-Unmodified-Since\` on a write.
- **\`Content-Type: application/merge-patch+json\`** makes a PATCH a JSON Merge Patch (RFC 7396): any field may be left out,
  \`null\` removes a value, and \`custom_fields\` is merged key by key. With \`application/json\`, \`custom_fields\` is replaced as a
  whole.

## Lists

Most lists have the same parameters, and each list describes which operators each field supports. \`GET /webhooks\`
has no parameters. \`GET /webhooks/{id}/deliveries\`, \`GET /events\` and the \`…/changes\` have pages, but no \`sort\`
and no \`include_total\`, and few or no filters.

- **Filters.** \`field=a\` finds the records with this value. \`field=a,b\` finds the records with one of these
  values. An operator follows the field name in brackets. \`[ne]\`: none of these values, or no value.
  \`[gt]\`, \`[gte]\`, \`[lt]\`, \`[lte]\`: a range. \`[contains]\`: a part of a string. \`[all]\`: all of these values.
  \`[empty]\`: no value. A list contains only the records that match all filters in the request.
- **Search.** \`q\` finds contacts and deals by words. \`GET /search\` searches contacts, deals and conversations
  together, and returns the best match first.
- **Your own fields.** \`custom_fields.<key>=a\` finds contacts by a custom field.
- **Order.** \`sort=name\` is ascending order and \`sort=-name\` is descending order.
- **Pages.** For the next page, send \`next_cursor\` as \`cursor\`, with the same filters and \`sort\`. Continue
  until \`has_more\` is \`false\`. With \`sort=created_at\` or \`sort=-created_at\`, each record appears exactly once,
  even if records are written at the same time. With any other order, a record that changes may
  appear twice or not at all.
- **Total.** \`include_total=true\` counts the records that match the filters, up to 100,000. If there are more,
  \`total\` is 100,000 and \`total_relation\` is \`"gte"\`.
- **Shape.** \`fields=id,name\` returns only these fields. \`include=contact\` adds each record's contact. Both
  parameters also work for a single record.

If no index supports a query and the query takes longer than three seconds, the service returns a 422
\`query_too_expensive\`. Add a filter that matches few records. The query is then fast, even if it has other filters.

## Keep a copy in step

First read a resource's \`…/changes\` with \`start=beginning\`. Every page has a \`next_cursor\`: store it, and
send it as \`cursor\` in the next request. While \`has_more\` is true, send the next request immediately. When
\`has_more\` is false, wait some time before the next request. Each change is a record in its current state. Store
this record in place of your row with the same \`id\`. A \`DeletedRow\` has \`deleted_at\`: remove your row with the
same \`id\`. A change may appear more than once, and always contains the latest version of the record. After a 410
\`cursor_expired\`, start again with an empty copy.

## Rules

These rules apply in addition to the schemas:
`;
