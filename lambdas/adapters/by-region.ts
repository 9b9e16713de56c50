/** One client for each Region, made when an ARN of it first comes up. */
export function byRegion<Client>(create: (region: string) => Client): (arn: string) => Client {
  const clients = new Map<string, Client>();
  return (arn) => {
    const region = arn.split(':')[3] ?? '';
    const client = clients.get(region) ?? create(region);
    clients.set(region, client);
    return client;
  };
}
