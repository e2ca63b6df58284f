import express from 'express';
import request from 'supertest';
import { securityHeaders } from './security-headers';

const app = express().use(securityHeaders, (_request, response) => void response.json({}));

it.each([
  ['api.example.org', true],
  ['localhost.example.org', true],
  ['localhost:4443', false],
])('for the host %s, Strict-Transport-Security is sent: %s', async (host, isSent) => {
  const { headers } = await request(app).get('/').set('Host', host);
  expect(['strict-transport-security' in headers, headers['x-content-type-options']]).toEqual([isSent, 'nosniff']);
});
