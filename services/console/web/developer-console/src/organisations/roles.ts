import type { Role } from '../api/answers';

export const roleNames: Record<Role, string> = { owner: 'Owner', developer: 'Developer', read_only: 'Read only' };

export const roleMeanings: Record<Role, string> = {
  owner: 'Everything, also members, the organisation and deleting applications.',
  developer: 'Creates and changes applications, and uses them.',
  read_only: 'Sees everything, and changes nothing.',
};

/** Whether a role may create and change client applications. */
export const mayChangeClients = (role: Role): boolean => role !== 'read_only';
