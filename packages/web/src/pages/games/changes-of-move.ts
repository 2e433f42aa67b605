// Says who gets and who loses access when a game moves to another organisation.
import { ROLE_NAMES, ROLES, type Role } from '@chauffeur/contract/roles';

type Member = {
  readonly user_id: string;
  readonly name: string;
  readonly role: Role;
  /** The role on the game alone. */
  readonly game_role: Role | null;
};

type Team = readonly { readonly user_id: string; readonly name: string; readonly role: Role }[];

/** A sentence for each kind of change. */
export function changesOfMove(members: readonly Member[], team: Team): string[] {
  const roleIn = (id: string) => team.find(({ user_id }) => user_id === id)?.role ?? null;
  const known = members.map((member) => ({ ...member, after: higher(member.game_role, roleIn(member.user_id)) }));
  const lost = known.filter(({ after }) => after === null).map(({ name }) => name);
  const changed = known
    .filter(({ role, after }) => after !== null && after !== role)
    .map(({ name, after }) => `${name} (${ROLES[after!].label.toLowerCase()})`);
  const added = team
    .filter(({ user_id }) => members.every((member) => member.user_id !== user_id))
    .map(({ name, role }) => `${name} (${ROLES[role].label.toLowerCase()})`);
  const lines = [
    ...(lost.length > 0 ? [`Lose access immediately, with their agents: ${lost.join(', ')}.`] : []),
    ...(added.length > 0 ? [`Get access: ${added.join(', ')}.`] : []),
    ...(changed.length > 0 ? [`Get another role: ${changed.join(', ')}.`] : []),
  ];
  return lines.length > 0 ? lines : ['Everyone keeps their role on the game.'];
}

function higher(a: Role | null, b: Role | null): Role | null {
  return ROLE_NAMES.toReversed().find((role) => role === a || role === b) ?? null;
}
