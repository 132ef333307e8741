/** The texts about message templates. */
export const templates = {
  title: "Templates",
  lead:
    "A template is a message that WhatsApp has approved. A program needs a template to write to a person first.",
  search: "Name",
  name: "Template",
  status: "Status",
  anyStatus: "Any",
  category: "Category",
  quality: "Quality",
  account: "WhatsApp number",
  anyAccount: "All numbers",
  noAccount: "no connected number",
  toAccounts: "Go to WhatsApp",
  noneFound: "No such templates",
  noneFoundWhy:
    "No template fits these filters. A deleted template is only shown with the status Deleted.",
  none: "No templates yet",
  noneWithoutAccount:
    "Templates belong to a WhatsApp number, and none is connected. Connect a number, and its templates appear here.",
  noneAtWhatsApp:
    "The business account has no templates. Create one in WhatsApp Manager. It appears here when WhatsApp has received it.",
  notRead: "The templates were not read yet",
  notReadWhy: "The number has just been connected. Its templates appear here within a few minutes.",
  exampleTitle: "For example",
  exampleText: "Hello Ana, your order 1042 is on its way.",
  statuses: {
    APPROVED: "Approved",
    PENDING: "In review",
    REJECTED: "Rejected",
    PAUSED: "Paused",
    DISABLED: "Disabled",
    IN_APPEAL: "In appeal",
    LIMIT_EXCEEDED: "Limit reached",
    PENDING_DELETION: "Being deleted",
    ARCHIVED: "Archived",
    DELETED: "Deleted",
  } as Record<string, string>,
  categories: {
    MARKETING: "Marketing",
    UTILITY: "Utility",
    AUTHENTICATION: "Authentication",
  } as Record<string, string>,
  qualities: {
    GREEN: "High",
    YELLOW: "Medium",
    RED: "Low",
    UNKNOWN: "Not rated yet",
  } as Record<string, string>,

  /** What a status means, and what to do. */
  meanings: {
    PENDING:
      "WhatsApp is reviewing this template. This usually takes less than a day. Until then, it cannot be sent.",
    REJECTED:
      "WhatsApp has rejected this template. Change it in WhatsApp Manager and submit it again.",
    PAUSED:
      "WhatsApp has paused this template, because people blocked or reported it. A pause ends after 3 to 6 hours. " +
      "After several pauses, WhatsApp disables the template.",
    DISABLED: "WhatsApp has disabled this template because of its quality. Send another template.",
    IN_APPEAL:
      "Someone has appealed against the rejection. WhatsApp is reviewing this template again.",
    LIMIT_EXCEEDED:
      "The business account has reached its limit of templates. Delete templates that you do not use.",
    PENDING_DELETION: "This template is being deleted. Send another template.",
    ARCHIVED: "This template is archived in WhatsApp Manager. Restore it there before you send it.",
    DELETED: "WhatsApp no longer lists this template. Send another template.",
  } as Record<string, string>,
  otherMeaning:
    "WhatsApp does not allow this template to be sent now. Look at it in WhatsApp Manager.",
  rejectedFor: "The reason that WhatsApp gives:",
  rejections: {
    ABUSIVE_CONTENT: "The content breaks WhatsApp's rules, for example threats or insults.",
    INCORRECT_CATEGORY: "The content does not fit the category. Choose the category that fits.",
    INVALID_FORMAT:
      "The format is wrong. Check that the variables are numbered without gaps, that none begins or ends the text, and that each has an example.",
    PROMOTIONAL:
      "The content is marketing, but the category is not. Choose the category Marketing.",
    SCAM: "WhatsApp takes the content for fraud. Say clearly who writes, and why.",
    TAG_CONTENT_MISMATCH: "The content does not fit the category or the language.",
    NON_TRANSIENT_ERROR: "WhatsApp does not say why. Change the text, and submit it again.",
  } as Record<string, string>,
  unsupported: (parts: string) => `This service cannot send templates with ${parts}.`,
  parts: {
    CAROUSEL: "a carousel",
    LIMITED_TIME_OFFER: "a limited-time offer",
    CATALOG: "a catalog button",
    MPM: "a list of products",
    SPM: "a product",
    FLOW: "a flow",
    ORDER_DETAILS: "the details of an order",
    LOCATION: "a location header",
    TOO_LARGE: "more than 64 KiB of content",
  } as Record<string, string>,
  mediaProblem:
    "The medium of the header could not be given to WhatsApp, so a send fails now. The service tries again regularly.",
  noSender:
    "No number of the template’s business account is connected, so the template cannot be sent.",
  upcoming: (category: string) =>
    `WhatsApp has announced that it moves this template to the category ${category}.`,

  preview: "As the person sees it",
  media: { image: "Image", video: "Video", document: "Document" },
  codeText: (code: string) => `${code} is your verification code.`,
  needs: "What a send needs",
  mediumNeeded: {
    image:
      "The header is the approved image. The service sends it; a program gives nothing for it.",
    video:
      "The header is the approved video. The service sends it; a program gives nothing for it.",
    document:
      "The header is the approved document. The service sends it; a program gives nothing for it.",
  },
  noValues: "Nothing: this template has no variables.",
  valuesHint:
    "These are the examples of the template. Change them: the preview, the test and the request follow.",
  headerValue: (name: string) => `Header, {{${name}}}`,
  bodyValue: (name: string) => `Text, {{${name}}}`,
  buttonValue: (text: string) => `Button “${text}”`,
  word: "example",

  test: {
    title: "Send a test",
    lead:
      "See the message on your own phone. It is a real message: WhatsApp may charge for it, and the phone becomes a contact of your company.",
    phone: "Your phone",
    phoneHint: "With the country code. Only this browser remembers it.",
    phoneFault: "Type the phone with a plus sign and the country code, such as +5511987654321.",
    sender: "Send from",
    button: "Send test",
    sending: "Sending…",
    steps: "What happened to the test",
    toSend: "The page of this send",
    onlyManagers: "Owners and admins can send a test.",
    notNow: "This template cannot be sent now. The reason is at the top of this page.",
    stopped: {
      do_not_contact: "Nothing was sent: this person does not want any messages from your company.",
      marketing_opt_out: "Nothing was sent: this person does not want marketing from your company.",
    },
    tooMany:
      "Your company has sent 20 tests in the last 24 hours, which is the limit. Try again tomorrow.",
    refused: (words: string) => `Nothing was sent. Check the values. The service says: ${words}`,
    noAccount: "Nothing was sent: the number is not connected any more.",
    accountError: "Nothing was sent: WhatsApp refuses the account. The view WhatsApp says why.",
    unavailable: "WhatsApp did not answer, and nothing was sent. Try again in a minute.",
  },

  request: "The request for a program",
  requestHint:
    "Put in your key, and put in the phone in both places. The API sends only one message for each idempotency key, so change this key for every other message.",
  copyRequest: "Copy the request",
  keyPlace: "<your API key>",
  phonePlace: "<phone>",
  numberPlace: "<phone_number_id>",
  facts: "About this template",
  statusSince: "Status since",
  readAt: "Last read",
  channelId: "Id at WhatsApp",
  toList: "All templates",
};

export type TemplatesTexts = typeof templates;
