// The roles of people in organisations and on games, from the lowest to the highest. Which role an operation needs is
// set on the operation.

export const ROLE_NAMES = ['viewer', 'triager', 'developer', 'admin', 'owner'] as const;

export type Role = (typeof ROLE_NAMES)[number];

/** Each role may do what all lower roles may do. */
export const ROLES: Readonly<Record<Role, { label: string; plural: string }>> = {
  viewer: { label: 'Viewer', plural: 'viewers' },
  triager: { label: 'Triager', plural: 'triagers' },
  developer: { label: 'Developer', plural: 'developers' },
  admin: { label: 'Admin', plural: 'admins' },
  owner: { label: 'Owner', plural: 'owners' },
};

/** Whether someone with `role` may do what needs `needed`. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLE_NAMES.indexOf(role) >= ROLE_NAMES.indexOf(needed);
}

/** Whether someone with `role` may give `given` to others, or take it from them: no one gives more than they have. */
export function mayGrant(role: Role, given: Role): boolean {
  return isAtLeast(role, 'admin') && isAtLeast(role, given);
}

/** What a role is about: one game, or an organisation with all of its games. */
export type RoleScope = 'game' | 'organisation';

/** Who can call an operation that needs the role, such as "admins and owners of the game". */
export function formatWhoMay(needed: Role, of: RoleScope): string {
  const plurals = ROLE_NAMES.filter((each) => isAtLeast(each, needed)).map((each) => ROLES[each].plural);
  const all = [plurals.slice(0, -1).join(', '), plurals.at(-1)].filter(Boolean).join(' and ');
  return `${all} of the ${of}`;
}

/** The sentence for someone whose role is too low to `act`, such as "Only owners of the game can delete it." */
export function formatOnlyThey(needed: Role, of: RoleScope, act: string): string {
  return `Only ${formatWhoMay(needed, of)} can ${act}.`;
}

/** The error message for someone whose role is too low, such as "Only admins and owners of the game can do this." */
export function formatMissingRole(role: Role, needed: Role, of: RoleScope): string {
  return `${formatOnlyThey(needed, of, 'do this')} Your role is ${role}.`;
}

/** Each is read on its own. */
export const ROLE_SUMMARIES: Readonly<Record<Role, string>> = {
  viewer: 'Viewers read builds, crash reports, launch health and bug tickets, and change nothing.',
  triager:
    'Triagers triage crash groups and bug tickets, comment, reply to players, download dumps and logs, and read what viewers read.',
  developer:
    'Developers upload, promote and delete builds, edit symbols, images, the store page and event files, and triage crashes and bugs.',
  admin:
    'Admins manage alerts, grouping rules, issue trackers, deploy keys and the members of the organisation, and do all that developers do.',
  owner:
    'Owners decide on approvals, share, transfer and delete games, change the organisation, and do all that admins do.',
};
