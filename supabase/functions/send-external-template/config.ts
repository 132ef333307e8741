import { readSendingConfig, type SendingConfig } from "../_shared/sending/config.ts";
import type { MediaPatience } from "../_shared/whatsapp/template_media.ts";

/** What the template endpoint needs. */
export interface SenderConfig extends SendingConfig {
  /** How long a send waits for the media of its header, and how long no other upload of it begins. */
  mediaPatience: MediaPatience;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with one sentence, for the operator's log.
 */
export async function readSenderConfig(
  env: Record<string, string | undefined>,
): Promise<SenderConfig> {
  return {
    ...await readSendingConfig(env),
    // The lease is longer than the upload, so that its end is recorded before another one begins.
    mediaPatience: { timeoutMs: 20_000, leaseSeconds: 30 },
  };
}
