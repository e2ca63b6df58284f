import { EntitySchema } from 'typeorm';

/** A client application as it is stored. */
export interface ClientApplicationRow {
  client_id: string;
  name: string;
  secret_sha256: Buffer;
  redirect_uris: string[];
  created_at: Date;
}

export const clientApplicationEntity = new EntitySchema<ClientApplicationRow>({
  name: 'client_application',
  columns: {
    client_id: { type: 'text', primary: true },
    name: { type: 'text' },
    secret_sha256: { type: 'bytea' },
    redirect_uris: { type: 'text', array: true },
    created_at: { type: 'timestamptz', createDate: true },
  },
});
