import * as z from 'zod';
import { timestampSchema } from './common.ts';

export const healthView = z.object({ status: z.literal('ok'), time: timestampSchema }).meta({ id: 'Health' });
