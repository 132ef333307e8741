/** The description of the collection, which Postman shows as Markdown. */
export const INTRODUCTION =
  `One request for each operation of the CRM and messaging API, with checks of the response.

**Before the first request**, set two variables of the collection:

| variable | value |
|---|---|
| \`baseUrl\` | the URL of the functions, without a slash at the end: \`http://127.0.0.1:54321/functions/v1\` for a stack on this machine, \`https://<project>.supabase.co/functions/v1\` for a hosted project |
| \`apiKey\` | an API key with the scopes \`read\`, \`write\`, \`messaging\` and \`webhooks\`; enter it as the current value, which Postman does not export |

**A run from top to bottom** creates its own records: three contacts, a pipeline, three deals and a template send. Later requests use the ids of these records. The run merges, erases and archives only its own records. Run the collection on the local stack or in a test project, because the run really sends the template, to a phone number that no country uses. The reply is only a dry run. If your company does not have a record that a request needs, the run skips the request.

**To send a single request**, first send the earlier requests that store the ids that this request needs.

Written by npm run generate; do not edit.`;
