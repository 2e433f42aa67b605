// Decides whether a page is for developers and operators, who can use error codes and request IDs. Players can't.

const PATHS = /^\/(dev|operator|approve|consent|invitations|cli|setup|settings\/(agents|keys))(\/|$)/;

export function isForDevelopers(path: string): boolean {
  return PATHS.test(path);
}
