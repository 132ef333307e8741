/** What was done to the keys of a company, by whom. */
export const history = {
  intro: (zone: string) =>
    `What was done to the keys of your company. Nobody can change it. Times are in your time zone (${zone}).`,
  none: "Nothing was done to a key yet.",
  older: "Older entries",
  /** @param count of the entries that were added. */
  olderShown: (count: number) => count === 1 ? "1 older entry." : `${count} older entries.`,
  onlyManagers: "Owners and admins see the history of the keys.",
  platform: "Whoever runs this service",
  database: "Somebody with access to the database",
  unknownPerson: "Somebody who is not known any more",
  from: (address: string) => `from ${address}`,
  never: "never",
  deeds: {
    created: "Created",
    renamed: "Renamed",
    switched_off: "Switched off",
    switched_on: "Switched on",
    rotated: "Replaced by a new key",
    expiry_changed: "End changed",
    changed: "Changed",
    deleted: "Deleted",
  },
  createdAsSuccessor: "Created as a successor",
  permissions: (scopes: string) => `Permissions: ${scopes}`,
  expires: (when: string) => `Expires: ${when}`,
  ends: (when: string) => `The old key ends: ${when}`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}`,
};

export type HistoryTexts = typeof history;
