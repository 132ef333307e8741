import { readSendingConfig, type SendingConfig } from "../sending/send_config.ts";
import type { MediaPatience } from "../templates/template_media.ts";

/** The settings that the template endpoint needs. */
export interface SenderConfig extends SendingConfig {
  /**
   * How long a send waits for its header media, and how long no other request may begin the same
   * upload.
   */
  mediaPatience: MediaPatience;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with a message for the operator's log.
 */
export async function readSenderConfig(
  env: Record<string, string | undefined>,
): Promise<SenderConfig> {
  return {
    ...await readSendingConfig(env),
    // The lease of an upload is longer than its timeout, so that the end of the upload is recorded
    // before another upload begins.
    mediaPatience: { timeoutMs: 20_000, leaseSeconds: 30 },
  };
}
