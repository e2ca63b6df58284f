import type { ReactNode } from 'react';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { NavLink, useNavigate } from 'react-router';
import type { Client } from '../api/answers';
import { queryClient, useClients } from '../api/queries';
import { call, hasCode } from '../api/request';
import { Icon } from '../components/icons';
import { Mode } from '../components/status';
import { useToast } from '../components/toasts';
import { facts } from '../facts';
import { mayChangeClients } from '../organisations/roles';
import { useTheme } from '../theme';
import { clientPath, organisationPath, usePlace, usePlacedClient } from './place';
import { useSignedIn } from './account-context';

/** The switches of organisation and client, the pages of both, and the account. */
export function Navigation(): ReactNode {
  const { is_operator: isOperator } = useSignedIn();
  const { organisation } = usePlace();
  const client = usePlacedClient();
  return (
    <>
      <div className="brand">Tributary</div>
      <OrganisationSwitch />
      {organisation && (
        <>
          <ClientSwitch organisationId={organisation.id} client={client} />
          {client && (
            <nav aria-label={`Application ${client.name}`}>
              <NavLink to={clientPath(organisation.id, client.client_id, 'overview')}>Overview</NavLink>
              <NavLink to={clientPath(organisation.id, client.client_id, 'users')}>Users</NavLink>
              <NavLink to={clientPath(organisation.id, client.client_id, 'exports')}>Exports</NavLink>
              <NavLink to={clientPath(organisation.id, client.client_id, 'webhooks')}>Webhooks</NavLink>
              {mayChangeClients(organisation.role) && (
                <NavLink to={clientPath(organisation.id, client.client_id, 'audit')}>Audit log</NavLink>
              )}
              <NavLink to={clientPath(organisation.id, client.client_id, 'explorer')}>API explorer</NavLink>
              <NavLink to={clientPath(organisation.id, client.client_id, 'usage')}>Usage</NavLink>
              <NavLink to={clientPath(organisation.id, client.client_id, 'settings')}>Settings</NavLink>
            </nav>
          )}
          <nav aria-label={`Organisation ${organisation.name}`}>
            <h2>Organisation</h2>
            <NavLink to={organisationPath(organisation.id, 'clients')} end>
              Applications
            </NavLink>
            <NavLink to={organisationPath(organisation.id, 'members')}>Members</NavLink>
            <NavLink to={organisationPath(organisation.id, 'settings')}>Organisation settings</NavLink>
          </nav>
        </>
      )}
      {isOperator && (
        <nav aria-label="Service">
          <h2>Service</h2>
          <NavLink to="/operator/clients">All applications</NavLink>
          <NavLink to="/operator/systems">Health systems</NavLink>
          <NavLink to="/operator/queue">Queue</NavLink>
          <NavLink to="/operator/services">Services</NavLink>
          <NavLink to="/operator/keys">Keys</NavLink>
          <NavLink to="/operator/audit">Audit log</NavLink>
        </nav>
      )}
      <div className="sidebar-end">
        <a href={`${facts.urls.base_url}/docs`}>Documentation</a>
        <AccountMenu />
      </div>
    </>
  );
}

function OrganisationSwitch(): ReactNode {
  const navigate = useNavigate();
  const { organisations } = useSignedIn();
  const { organisation } = usePlace();
  return (
    <MenuTrigger>
      <Button className="switch" aria-label={`Organisation: ${organisation?.name ?? 'none'}`}>
        <span className="switch-text">{organisation?.name ?? 'No organisation'}</span>
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom start">
        <Menu
          selectionMode="single"
          selectedKeys={organisation ? [organisation.id] : []}
          onAction={(id) =>
            void navigate(id === 'new' ? '/organisations/new' : organisationPath(String(id), 'clients'))
          }
        >
          <MenuSection>
            <Header>Organisations</Header>
            {organisations.map(({ id, name }) => (
              <MenuItem key={id} id={id} textValue={name}>
                {name}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator />
          <MenuItem id="new">New organisation…</MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function ClientSwitch({ organisationId, client }: { organisationId: string; client: Client | undefined }): ReactNode {
  const navigate = useNavigate();
  const { data } = useClients(organisationId);
  const { organisation } = usePlace();
  const clients = data?.entry ?? [];
  if (clients.length === 0) return null;
  const isAllowed = organisation !== undefined && mayChangeClients(organisation.role);
  const open = (id: string): void => {
    if (id === 'new:') void navigate(organisationPath(organisationId, 'clients/new'));
    else void navigate(clientPath(organisationId, id, 'overview'));
  };
  return (
    <MenuTrigger>
      <Button
        className="switch"
        aria-label={client ? `Application: ${client.name}, ${client.mode}` : 'Choose an application'}
      >
        <span className="switch-text">{client?.name ?? 'Choose an application'}</span>
        {client && <Mode mode={client.mode} />}
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom start">
        <Menu
          selectionMode="single"
          selectedKeys={client ? [client.client_id] : []}
          onAction={(id) => open(String(id))}
        >
          <MenuSection>
            <Header>Applications</Header>
            {clients.map(({ client_id: id, name, mode }) => (
              <MenuItem key={id} id={id} textValue={name}>
                <span className="switch-text">{name}</span>
                <Mode mode={mode} />
              </MenuItem>
            ))}
          </MenuSection>
          {isAllowed && <Separator />}
          {isAllowed && <MenuItem id="new:">New application…</MenuItem>}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function AccountMenu(): ReactNode {
  const navigate = useNavigate();
  const { name, email } = useSignedIn();
  const { other, change } = useTheme();
  const tell = useToast();
  const act = async (id: string): Promise<void> => {
    if (id === 'theme') return change();
    if (id === 'account') return navigate('/account');
    try {
      await call('POST', 'sign-out');
    } catch (error) {
      if (!hasCode(error, 'not_signed_in'))
        return tell('You are still signed in: the console cannot be reached. Try again.');
    }
    queryClient.clear();
    return navigate('/sign-in');
  };
  return (
    <MenuTrigger>
      <Button className="switch" aria-label={`Account: ${name}`}>
        <span className="switch-text">
          {name}
          <span className="muted">{email}</span>
        </span>
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="top start">
        <Menu onAction={(id) => void act(String(id))}>
          <MenuItem id="account">Account settings</MenuItem>
          <MenuItem id="theme">{other === 'dark' ? 'Dark theme' : 'Light theme'}</MenuItem>
          <MenuItem id="sign-out">Sign out</MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
