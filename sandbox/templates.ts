import {
  authentication,
  body,
  buttons,
  card,
  footer,
  header,
  mediaHeader,
  namedBody,
  namedHeader,
} from "./template_parts.ts";
import type { Component, Template } from "./template_types.ts";

/** A template as it is defined in this file. Parts that are left out have default values. */
export interface WrittenTemplate
  extends Partial<Omit<Template, "id" | "name" | "language" | "components">> {
  /**
   * The template's description in docs/sandbox.md: the values that a send needs, or why sending
   * fails.
   */
  takes: string;
  /** Here, `header_handle` is the name of a file in SAMPLES. */
  components: Record<string, Component[]>;
}

/** The templates of every business account in the sandbox, by name. */
export const TEMPLATES: Record<string, WrittenTemplate> = {
  order_update: {
    takes: "two body variables: name, order",
    components: {
      pt_BR: [body("Olá {{1}}, o seu pedido {{2}} está a caminho.", "Ada", "A-1815")],
      en_US: [body("Hello {{1}}, your order {{2}} is on its way.", "Ada", "A-1815")],
      es: [body("Hola {{1}}, tu pedido {{2}} está en camino.", "Ada", "A-1815")],
    },
  },
  hello_world: {
    takes: "nothing; a header and a footer without variables",
    components: {
      en_US: [
        header("Hello World"),
        body("Welcome! If you can read this, your number can send templates."),
        footer("A sample message"),
      ],
    },
  },
  service_visit: {
    takes: "one header variable: order; two body variables: name, day",
    components: {
      en_US: [
        header("Service order {{1}}", "S-204"),
        body("Hello {{1}}, our technician will be with you on {{2}}.", "Ada", "12 March"),
        footer("Ondalva Coffee Equipment"),
        buttons(
          { type: "QUICK_REPLY", text: "Confirm" },
          { type: "QUICK_REPLY", text: "Another day" },
          { type: "PHONE_NUMBER", text: "Call us", phone_number: "+12025550100" },
        ),
      ],
      es: [
        header("Orden de servicio {{1}}", "S-204"),
        body("Hola {{1}}, nuestro técnico te visitará el {{2}}.", "Ada", "12 de marzo"),
        footer("Ondalva Coffee Equipment"),
        buttons(
          { type: "QUICK_REPLY", text: "Confirmar" },
          { type: "QUICK_REPLY", text: "Otro día" },
          { type: "PHONE_NUMBER", text: "Llamar", phone_number: "+12025550100" },
        ),
      ],
    },
  },
  new_arrival: {
    takes: "an image header; one body variable: name",
    category: "MARKETING",
    components: {
      en_US: [
        mediaHeader("IMAGE", "espresso_cup.jpg"),
        body("{{1}}, our new cups have arrived. Come and see them in the shop this week.", "Ada"),
        footer("Not interested? Tap Stop promotions."),
        buttons(
          { type: "URL", text: "See the cups", url: "https://ondalva.example/cups" },
          { type: "QUICK_REPLY", text: "Stop promotions" },
        ),
      ],
    },
  },
  machine_tour: {
    takes: "a video header",
    category: "MARKETING",
    components: {
      en_US: [
        mediaHeader("VIDEO", "machine_tour.mp4"),
        body("Take a short tour of the Brisa 2G, our machine for two baristas."),
      ],
    },
  },
  invoice_ready: {
    takes: "a document header; two body variables: invoice, amount",
    components: {
      en_US: [
        mediaHeader("DOCUMENT", "invoice.pdf"),
        body("Your invoice {{1}} over {{2}} is attached.", "A-1815", "USD 480.00"),
      ],
    },
  },
  pickup_point: {
    takes: "a location header, which the service does not send; one body variable: order",
    components: {
      en_US: [
        { type: "HEADER", format: "LOCATION" },
        body("Your order {{1}} is ready for you here.", "A-1815"),
      ],
    },
  },
  quote_ready: {
    takes: "named: one header variable, quote_number; four body variables: customer_name, " +
      "machine, amount, expiry_date. The text has customer_name twice",
    parameter_format: "NAMED",
    components: {
      en_US: [
        namedHeader("Quote {{quote_number}}", { quote_number: "Q-77" }),
        namedBody(
          "Hello {{customer_name}}, the {{machine}} costs {{amount}} until {{expiry_date}}. " +
            "Shall we reserve it for you, {{customer_name}}?",
          {
            customer_name: "Ada",
            machine: "Brisa 2G",
            amount: "USD 15,900",
            expiry_date: "31 March",
          },
        ),
        footer("Ondalva Coffee Equipment"),
      ],
    },
  },
  delivery_tracking: {
    takes: "two body variables: name, carrier; the last part of the URL of button 1",
    components: {
      en_US: [
        body("Hello {{1}}, your parcel is with {{2}} now.", "Ada", "Correos"),
        buttons(
          { type: "QUICK_REPLY", text: "Not at home" },
          {
            type: "URL",
            text: "Track it",
            url: "https://ondalva.example/track/{{1}}",
            example: ["https://ondalva.example/track/BR2-00391"],
          },
          { type: "URL", text: "All parcels", url: "https://ondalva.example/track" },
        ),
      ],
    },
  },
  welcome_discount: {
    takes: "one body variable: name; the code of the copy-code button 0",
    category: "MARKETING",
    components: {
      en_US: [
        body("Welcome, {{1}}! Here is a code for 15 % off your first beans.", "Ada"),
        footer("One use for each customer"),
        buttons(
          { type: "COPY_CODE", text: "Copy offer code", example: ["BEANS15"] },
          { type: "URL", text: "To the shop", url: "https://ondalva.example/beans" },
        ),
      ],
    },
  },
  loyalty_points: {
    takes: "two body variables. The text has the second variable before the first, and has it " +
      "twice. The category will soon be MARKETING",
    correct_category: "MARKETING",
    quality_score: { score: "YELLOW" },
    components: {
      pt_BR: [
        body(
          "{{2}} pontos esperam por você, {{1}}. Os seus {{2}} pontos valem até junho.",
          "Ada",
          "120",
        ),
      ],
      en_US: [
        body(
          "{{2}} points are waiting for you, {{1}}. Use your {{2}} points by June.",
          "Ada",
          "120",
        ),
      ],
    },
  },
  login_code: {
    takes: "authentication: the code as the only body variable and in button 0, which WhatsApp " +
      "lists as OTP",
    category: "AUTHENTICATION",
    message_send_ttl_seconds: 600,
    components: { en_US: authentication("OTP") },
  },
  phone_verification: {
    takes: "authentication: the code as the only body variable and in button 0, which WhatsApp " +
      "lists as URL",
    category: "AUTHENTICATION",
    message_send_ttl_seconds: 600,
    components: { en_US: authentication("URL") },
  },
  payment_reminder: {
    takes: "one body variable; the template is paused: 132015",
    status: "PAUSED",
    quality_score: { score: "RED" },
    components: { en_US: [body("Your invoice {{1}} is due tomorrow.", "A-1815")] },
  },
  free_machine: {
    takes: "nothing; the template was rejected: 132001",
    status: "REJECTED",
    category: "MARKETING",
    quality_score: { score: "UNKNOWN" },
    rejected_reason: "SCAM",
    components: { en_US: [body("You have won a machine! Reply with your card number.")] },
  },
  visit_survey: {
    takes: "one body variable; the template waits for approval: 132001",
    status: "PENDING",
    quality_score: { score: "UNKNOWN" },
    components: { en_US: [body("How was our visit of {{1}}?", "12 March")] },
  },
  season_picks: {
    takes: "a carousel, which the service does not send; one body variable: name",
    category: "MARKETING",
    components: {
      en_US: [
        body("{{1}}, these are our picks of the season.", "Ada"),
        { type: "CAROUSEL", cards: [card("Espresso cups", "espresso"), card("Mugs", "mugs")] },
      ],
    },
  },
};
