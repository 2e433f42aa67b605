// Links: to pages of the program, to public pages and documentation, which are separate documents, and to sign in
// again.
import { matchPage, PUBLIC_PAGES } from '@chauffeur/contract/pages';
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import { Anchor, type AnchorProps, Group } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import table from './table.module.css';

/** A link to another page of the program, styled by the theme. */
export const SiteLink = createLink(Anchor<'a'>);

type DocLinkProps = AnchorProps & {
  /** The page, or a part of it: `builds#storage-quota`. Without it, the link leads to the start page. */
  page?: string;
  className?: string | undefined;
  children: ReactNode;
};

/** A link to the documentation, whose pages are not part of this program. */
export function DocLink({ page, ...rest }: DocLinkProps) {
  return <Anchor href={page === undefined ? '/docs' : `/docs/${page}`} {...rest} />;
}

type RowAnchorProps = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>;

/** A `RowLink` to a public page, which the server writes. */
export function RowAnchor({ className = table.main, ...props }: RowAnchorProps) {
  return <Anchor {...props} className={className} data-row />;
}

/**
 * The link that opens a row of a list: the keys j and k move between these links, and Enter follows the focused one.
 */
export const RowLink = createLink(RowAnchor);

/** Links for someone who has to sign in another way, or to set up a second factor first. */
export function SignInLinks({ required }: { required: SignInRequirement }) {
  const isOnSecurityPage = location.pathname === '/settings/security';
  return (
    <Group gap="md" mt={4}>
      {required === 'second_factor' && !isOnSecurityPage && (
        <SiteLink to="/settings/security" size="sm">
          Security settings
        </SiteLink>
      )}
      <SiteLink to="/sign-in" search={{ next: location.pathname + location.search }} size="sm">
        Sign in again
      </SiteLink>
    </Group>
  );
}

type Navigator = { navigate(to: { href: string }): Promise<void> };

/**
 * Opens a path of this site: within the program, or as a document if it is a public page, which the server writes.
 */
export async function openPath(router: Navigator, href: string): Promise<void> {
  const page = matchPage(href.split(/[?#]/, 1)[0] ?? '');
  if (page === undefined || PUBLIC_PAGES.has(page.name)) location.assign(href);
  else await router.navigate({ href });
}
