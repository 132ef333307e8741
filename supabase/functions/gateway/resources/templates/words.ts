import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type {
  Template,
  TemplateButton,
  TemplateNeeds,
  TemplateVariable,
  TemplateVariables,
} from "./row.ts";

/** The texts about templates in the API's description. */
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
        "Returns one template: what it looks like, what a send must provide, and whether it " +
        "can be sent now.",
    },
  },
  schemas: {
    Template: "A message template of your company, as it was last read from the channel.",
    TemplateVariables: "The variables of a template.",
    TemplateVariable: "A variable of a template.",
    TemplateButton: "A button that needs a value on each send.",
    TemplateNeeds: "What a send of a template must provide.",
  },
  fields: {
    Template: {
      ...COMMON,
      business_account_id: "The WhatsApp Business account that has the template.",
      phone_number_ids: "The connected messaging accounts that can send the template.",
      name:
        "The name of the template. A name may exist in several languages, each with its own text.",
      language: "The language of the template, such as `pt_BR` or `en`.",
      status: "The channel's word for the state of the template, such as `APPROVED`, `PENDING`, " +
        "`REJECTED`, `PAUSED` or `DISABLED`. `DELETED`: the channel no longer lists it.",
      category: "The channel's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`.",
      upcoming_category:
        "The new category that the channel has announced for the template; `null` if the channel " +
        "has announced no change.",
      quality: "How well recipients like the template: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`.",
      rejected_reason: "Why the channel has rejected the template, as the channel's own code.",
      parameter_format:
        "Whether the variables in the text have numbers or names. In both cases, a send lists " +
        "the values in order.",
      components: "The parts of the template as the channel lists them, without the URLs of media.",
      variables: "The variables, in the order in which a send gives their values.",
      send: "What a send of the template must provide.",
      can_be_sent: "Whether the template can be sent now, as far as this service knows.",
      why_not:
        "Why the template cannot be sent now, as sentences; an empty list when it can be sent.",
      read_at: "When the template was last read from the channel.",
    } satisfies FieldsOf<typeof Template>,
    TemplateVariables: {
      header: "The variables of a text header: `header_variables` of a send.",
      body: "The variables of the body: `body_variables` of a send.",
      buttons: "The buttons that need a value: `button_variables` of a send.",
    } satisfies FieldsOf<typeof TemplateVariables>,
    TemplateVariable: {
      name: "The number of the variable, or its name when `parameter_format` is `NAMED`.",
      example: "The example value that the template had when it was submitted to the channel.",
    } satisfies FieldsOf<typeof TemplateVariable>,
    TemplateButton: {
      index: "The place of the button in the template, from 0.",
      kind:
        "`url`: the value is the end of the button's URL. `copy_code`: the value is the code to copy.",
      text: "The label of the button.",
      example: "The example value that the template had when it was submitted to the channel.",
    } satisfies FieldsOf<typeof TemplateButton>,
    TemplateNeeds: {
      template_header_type:
        "The kind of media in the header; `null` when the header has no media. The service " +
        "supplies the media. A send may leave this field out, but must not name another kind.",
      header_variables: "How many values `header_variables` must have.",
      body_variables: "How many values `body_variables` must have.",
      button_variables: "How many values `button_variables` must have.",
    } satisfies FieldsOf<typeof TemplateNeeds>,
  },
} satisfies Words;
