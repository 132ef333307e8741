import type { FieldsOf, Words } from "../_shared/http/api_words.ts";
import type { MarketingOptOut } from "../_shared/template_sends/template_answers.ts";
import type { HeaderMedia, SendRequest } from "../_shared/template_sends/template_request.ts";

/** The texts about template sends in the API's description. */
export const words = {
  operations: {
    sendExternalTemplate: {
      tag: "Templates",
      summary: "Send a template",
      description:
        "Finds or creates the contact, finds or opens the conversation, stores the message and " +
        "sends the template. **Always check `success`.** A response with the status 200 can have " +
        "`success: false`: the contact must not be contacted, the person has opted out of " +
        "marketing, or an earlier send with the same idempotency key is pending or has failed. " +
        "Give every message an `idempotency_key`. Then you can safely repeat a request: nothing " +
        "is sent twice. `GET /templates` of the gateway shows which values a template needs.",
    },
  },
  schemas: {
    SendRequest: "A template to send.",
    HeaderMedia: "Your own file for the header of a template: an upload, or a URL.",
    SendAnswer: "The result of the request.",
    MarketingOptOut: "A refused send: the person wants no marketing.",
  },
  fields: {
    SendRequest: {
      phone: "The recipient's phone number in E.164 format with a leading plus sign.",
      template_name: "The name of the approved template.",
      language_code: "The language of the template, such as `pt_BR` or `en`.",
      display_text:
        "The text that the conversation shows and the AI agent reads, stored byte for byte. The " +
        "text can differ from the rendered template.",
      body_variables: "The values of `{{1}}`, `{{2}}`, … in the body of the template.",
      header_variables: "The values of the variables in a text header.",
      button_variables:
        "The values of the buttons that need a value, in the order of the buttons: the end of a " +
        "button's URL, or a code to copy. The code of an authentication template goes into " +
        "`body_variables` only.",
      phone_number_id:
        "The connected messaging account that sends the message. Required when the company has more than one.",
      contact_name: "The name for a new contact. An existing contact keeps its name.",
      idempotency_key:
        "A key that you choose for this send. It never expires: a repeat with the same key sends " +
        "nothing. " +
        "A good form is `<purpose>-<contact>-<date>`.",
      template_header_type:
        "The kind of media in the header of the approved template. This kind becomes the type of " +
        "the stored message. The service supplies the media, even when this field is left out. " +
        "With this field, `header_variables` must be left out or empty.",
      header_media:
        "Your own file for the media header, such as an invoice, in place of the approved " +
        "sample. The file must be of the header's kind.",
    } satisfies FieldsOf<typeof SendRequest>,
    HeaderMedia: {
      id: "The id of a file that you uploaded for the sending phone number.",
      url:
        "The URL from which the service fetches the file at each send. The operator allows the " +
        "hosts in WHATSAPP_MEDIA_HOSTS; for any other host, the request returns a 422.",
    } satisfies FieldsOf<typeof HeaderMedia>,
    MarketingOptOut: {
      success: "Nothing was sent.",
      reason: "The template is a marketing template, and the person has opted out of marketing.",
    } satisfies FieldsOf<typeof MarketingOptOut>,
  },
} satisfies Words;
