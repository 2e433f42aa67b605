// What each role is about, for people who choose one or are invited to one.
import type { Role } from './roles.ts';

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
