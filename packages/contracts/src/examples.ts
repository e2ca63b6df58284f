/**
 * The values in the examples of the OpenAPI documents that every caller replaces by its own. All other values of the
 * examples can be sent as they are.
 */
export const exampleValues = {
  client_id: 'your-client-id',
  client_secret: 'your-client-secret',
  redirect_uri: 'https://app.example.org/connected',
  code: 'code-of-the-user',
  access_token: 'access-token-of-the-user',
  refresh_token: 'refresh-token-of-the-user',
  client_assertion: 'signed-client-assertion',
  service_user_id: 1001,
  app_user_id: 'patient-1001',
  health_system_id: 42,
  connection_id: '5d1f6c3a-8f0e-4a57-9b1c-2f6f0a7d9e10',
  connect_link: 'connect-link-of-the-user-0123456789abcdefgh',
  endpoint_id: '9c2b7e54-1d3a-4f86-8a90-6b7c8d9e0f21',
  export_id: 'c0a8f1d2-7b64-4e39-9f15-3a2b1c0d9e8f',
  file_token: 'file-token-of-the-manifest',
  resource_id: '3f1c5c34-2d0b-4a5e-8a0c-0d5b1a2c3d4e',
  audit_event_id: '7b0e4f6a-2c1d-4e3f-9a8b-5c6d7e8f9a0b.1z.0',
  webhook_id: 'msg_7e9d2f10-4c5b-4a6d-8e7f-9a0b1c2d3e4f',
  webhook_url: 'https://app.example.org/webhooks',
} as const;

/** The rule of the examples, for the descriptions of the documents. */
export const exampleRule = `The examples succeed as they are when these values are replaced by your own: ${Object.entries(
  exampleValues,
)
  .map(([name, value]) => `\`${value}\` (${name})`)
  .join(', ')}.`;
