import { api } from "../../_shared/http/api.ts";
import { mediaOperations, type UploadConfig } from "./operations.ts";

/** The part of this function for callers who upload media: `/whatsapp/media`. */
export function media(config: UploadConfig) {
  return api(config, {
    name: "whatsapp",
    operations: mediaOperations(config),
    scopeOf: () => "messaging",
    errors: {
      always: { success: false },
      // The channel may already have the file.
      whenUnavailable: ({ method }) =>
        method === "POST"
          ? "the file may have been stored, so repeat the request: a repeat does no harm"
          : "try again",
    },
  });
}
