// Sends the `chauffeur` command the version of this server, and refuses a command that cannot work with it.
import { errors } from '@chauffeur/contract/errors';
import { areCompatible, cliVersionOf, VERSION, VERSION_HEADER } from '@chauffeur/contract/version';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';

/** Throws `incompatibleCommand` for a command of another major version. Other clients are not affected. */
export function checkCliVersion({ publicUrl }: Context, request: FastifyRequest, reply: FastifyReply): void {
  const version = cliVersionOf(request.headers['user-agent']);
  if (version === undefined) return;
  reply.header(VERSION_HEADER, VERSION);
  if (areCompatible(version, VERSION)) return;
  throw errors.incompatibleCommand(
    `This is chauffeur ${version}, and the server is version ${VERSION}. Run chauffeur self-update, or install the version of this server: ${publicUrl}/cli`,
  );
}
