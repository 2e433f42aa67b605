// The frame of every page: the header with links to the store, your games and your account.
import { Container, Group } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { DocLink } from '../ui/DocLink.tsx';
import { SiteLink } from '../ui/SiteLink.tsx';
import { ConnectionStatus } from './ConnectionStatus.tsx';
import classes from './Frame.module.css';
import { PersonMenu } from './PersonMenu.tsx';
import { usePageTitle } from './page-title.ts';

export function Frame() {
  usePageTitle();
  return (
    <>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <header className={classes.header}>
        <Container size="72rem">
          <Group justify="space-between" h={56} wrap="nowrap">
            <Group gap="md" wrap="nowrap">
              <Link to="/" className={classes.name}>
                <img src="/icon.svg" alt="" width={24} height={24} />
                <span>Chauffeur</span>
              </Link>
              <SiteLink to="/dev" underline="never" className={classes.link}>
                Your games
              </SiteLink>
              <DocLink underline="never" className={classes.link}>
                Docs
              </DocLink>
            </Group>
            <PersonMenu />
          </Group>
        </Container>
      </header>
      <main id="content" tabIndex={-1} className={classes.content}>
        <Container size="72rem" py="lg">
          <Outlet />
        </Container>
      </main>
      <ConnectionStatus />
    </>
  );
}
