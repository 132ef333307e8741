import { archiveOperation, restoreOperation } from "../../records/archive_operations.ts";
import { CONTACT } from "./read.ts";

/** See the specification, 4.1 and 4.13. */
export const contactArchiving = [
  archiveOperation({
    id: "archiveContact",
    path: "/contacts/:id",
    resource: CONTACT,
    by: "archive_contact",
  }),

  restoreOperation({
    id: "restoreContact",
    path: "/contacts/:id/restore",
    resource: CONTACT,
    by: "restore_contact",
    conflicts: {
      phone:
        "Another contact now has this contact's phone; archive that contact first, or use that contact instead",
      user_id:
        "Another contact is now the same person; archive that contact first, or use that contact instead",
      external_id:
        "Another contact now has this contact's external_id; archive that contact first, or give it another external_id",
    },
  }),
];
