/** The changes of the keys and members of a company, and who made them. */
export const history = {
  intro: (zone: string) =>
    `All changes of the keys and the people of your company. Nobody can change this list. A name can change; the short code after it always belongs to the same person. Times are in your time zone (${zone}).`,
  none: "Nothing was done yet.",
  older: "Older entries",
  /** @param count of the entries that were added. */
  olderShown: (count: number) => count === 1 ? "1 older entry." : `${count} older entries.`,
  onlyManagers: "Owners and admins see the history.",
  platform: "The operator of this service",
  database: "Someone with access to the database",
  unknownPerson: "Someone who is no longer known",
  from: (address: string) => `from ${address}`,
  hasLeft: "no longer in the company",
  calledThen: (name: string) => `called “${name}” then`,
  never: "never",
  noName: "no name",
  deeds: {
    created: "Created",
    renamed: "Renamed",
    switched_off: "Switched off",
    switched_on: "Switched on",
    rotated: "Replaced by a new key",
    expiry_changed: "End changed",
    changed: "Changed",
    deleted: "Deleted",
    member_added: "Person added",
    member_renamed: "Person renamed",
    member_role_changed: "Role changed",
    member_removed: "Person removed",
  },
  createdAsSuccessor: "Created as a successor",
  role: (role: string) => `Role: ${role}`,
  permissions: (scopes: string) => `Permissions: ${scopes}`,
  expires: (when: string) => `Expires: ${when}`,
  ends: (when: string) => `The old key ends: ${when}`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}`,
};

export type HistoryTexts = typeof history;
