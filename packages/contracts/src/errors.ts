import { z } from 'zod';

/** Error body of user management, search and connect (contract, "Everywhere"). */
export const serviceError = z.object({
  success: z.literal(false),
  error: z.string().describe('A sentence that says what is wrong; never a value of the request.'),
  error_code: z.string().describe('The same in snake_case, for programs.'),
});
