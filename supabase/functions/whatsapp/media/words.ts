import type { FieldsOf, Words } from "../../_shared/http/api_words.ts";
import type { MediaUpload } from "./media_answers.ts";

/** The texts about uploads in the API's description. */
export const words = {
  operations: {
    uploadMedia: {
      tag: "Conversations",
      summary: "Upload media",
      description:
        "Uploads a file to the channel, for replies and for the headers of templates. The body is " +
        "the file itself, and `Content-Type` is its type. The service checks the first bytes. An " +
        "image has at most 5 MB, a video or audio 16 MB, and a document 100 MB. The file must " +
        "arrive within 60 seconds. Ogg audio must use the codec Opus. Repeating the request " +
        "creates another upload, and does no harm. For 29 days, the file can be sent, but only " +
        "from the number for which you uploaded it.",
    },
    getMediaUpload: {
      tag: "Conversations",
      summary: "Get an upload",
      description:
        "Returns the facts about an upload. The file itself cannot be read here, because only the " +
        "channel has it.",
    },
  },
  schemas: { MediaUpload: "A file that your company uploaded in order to send it." },
  fields: {
    MediaUpload: {
      id:
        "The id of the upload, for `media.id` of a reply and `header_media.id` of a template send.",
      phone_number_id: "The messaging account that can send the file.",
      type: "The type of a message that contains the file.",
      mime_type: "The content type of the file at the channel. For Ogg with Opus, it is always " +
        "`audio/ogg; codecs=opus`.",
      bytes: "The size in bytes.",
      sha256: "The SHA-256 digest of the file, in hexadecimal digits.",
      filename:
        "The name of the file. The recipient of a document sees this name. For any other kind of " +
        "file, this is the name that you gave, or `null`.",
      created_at: "When the file was uploaded.",
      expires_at: "When the upload expires: 29 days after it was made.",
    } satisfies FieldsOf<typeof MediaUpload>,
  },
} satisfies Words;
