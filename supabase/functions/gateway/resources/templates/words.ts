import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type {
  Template,
  TemplateButton,
  TemplateNeeds,
  TemplateVariable,
  TemplateVariables,
} from "./row.ts";

/** The descriptions of templates in the OpenAPI document. */
export const words = {
  operations: {
    listTemplates: {
      tag: "Templates",
      summary: "List templates",
      description:
        "Lists the message templates of your company's WhatsApp Business accounts, as they were " +
        "last read from the channel. Unless `sort` says otherwise, the templates are ordered by " +
        "name, then by language. The filters `status` and `category` ignore case.",
    },
    getTemplate: {
      tag: "Templates",
      summary: "Get a template",
      description:
        "Returns one template, with its content, the values that a send must provide, and " +
        "whether the template can be sent now.",
    },
  },
  schemas: {
    Template: "A message template of your company, as it was last read from the channel.",
    TemplateVariables: "A template's variables.",
    TemplateVariable: "A template variable.",
    TemplateButton: "A button that needs a value on each send.",
    TemplateNeeds: "The values that a template send must provide.",
  },
  fields: {
    Template: {
      ...COMMON,
      business_account_id: "The WhatsApp Business account that owns the template.",
      phone_number_ids: "The connected messaging accounts that can send the template.",
      name:
        "The template's name. The same name may exist in several languages, each with its own " +
        "text.",
      language: "The template's language, such as `pt_BR` or `en`.",
      status: "The template's state, as the channel reports it, such as `APPROVED`, `PENDING`, " +
        "`REJECTED`, `PAUSED` or `DISABLED`. `DELETED`: the channel no longer lists the template.",
      category: "The channel's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`.",
      upcoming_category:
        "The new category that the channel has announced for the template. `null` if the channel " +
        "has announced no change.",
      quality: "The template's quality rating, which depends on recipients' feedback: `GREEN`, " +
        "`YELLOW`, `RED` or `UNKNOWN`.",
      rejected_reason: "The channel's code for the reason why it rejected the template.",
      parameter_format:
        "Whether the template's variables have numbers or names. In both cases, a send lists the " +
        "values in order.",
      components: "The template's components as the channel lists them, without media URLs.",
      variables: "The variables, in the order in which a send lists their values.",
      send: "The values that a send of this template must provide.",
      can_be_sent:
        "Whether at least one of `phone_number_ids` can send the template now, as far as this " +
        "service knows.",
      why_not:
        "The reasons why the template cannot be sent now, as text. An empty list if the template " +
        "can be sent. A failed upload of the header's media is a reason only if none of " +
        "`phone_number_ids` has the media.",
      read_at: "When the template was last read from the channel.",
    } satisfies FieldsOf<typeof Template>,
    TemplateVariables: {
      header: "The variables in a text header. A send provides their values in `header_variables`.",
      body: "The variables in the body. A send provides their values in `body_variables`.",
      buttons: "The buttons that need a value. A send provides these values in `button_variables`.",
    } satisfies FieldsOf<typeof TemplateVariables>,
    TemplateVariable: {
      name: "The variable's number, or its name if `parameter_format` is `NAMED`.",
      example: "The example value that the template had when it was submitted to the channel.",
    } satisfies FieldsOf<typeof TemplateVariable>,
    TemplateButton: {
      index: "The button's position in the template, starting at 0.",
      kind:
        "`url`: the value is the last part of the button's URL. `copy_code`: the value is the " +
        "code to copy.",
      text: "The label of the button.",
      example: "The example value that the template had when it was submitted to the channel.",
    } satisfies FieldsOf<typeof TemplateButton>,
    TemplateNeeds: {
      template_header_type:
        "The kind of media in the header. `null` if the header has no media. The service " +
        "provides the media file. A send may leave out `template_header_type`, but must not name " +
        "a different kind.",
      header_variables: "The number of values that `header_variables` must have.",
      body_variables: "The number of values that `body_variables` must have.",
      button_variables: "The number of values that `button_variables` must have.",
    } satisfies FieldsOf<typeof TemplateNeeds>,
  },
} satisfies Words;
