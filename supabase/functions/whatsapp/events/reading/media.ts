import { timeText } from "../../../_shared/time_text.ts";
import type { Media } from "./item.ts";
import { booleanIn, idIn, textIn } from "./loose.ts";

/** How long the channel keeps media that a person sent. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * What is stored about an image, video, document, audio or sticker. The URL is left out, because it
 * is signed and valid only for minutes. Null for a file without an id, because such a file cannot
 * be fetched.
 */
export function mediaIn(own: unknown, sentAt: string | null): Media | null {
  const id = idIn(own, "id");
  if (id === null) return null;
  return {
    id,
    mime_type: textIn(own, "mime_type", 255),
    sha256: digestIn(own),
    filename: textIn(own, "filename", 255),
    voice: booleanIn(own, "voice"),
    animated: booleanIn(own, "animated"),
    expires_at: sentAt && timeText(Date.parse(sentAt) + KEPT_MS),
  };
}

/** The SHA-256 hash of a file in hexadecimal digits. The channel sends the hash in base64. */
function digestIn(own: unknown): string | null {
  const digest = textIn(own, "sha256", 255) ?? "";
  if (!/^[A-Za-z0-9+/]{43}=$/.test(digest)) return null;
  return Array.from(atob(digest), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0"))
    .join("");
}
