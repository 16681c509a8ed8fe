/* Temperature in a stack of silicon layers: one explicit step of
 *   C dT/dt = P + sum over the six neighbours of G (T_neighbour - T) + G_ambient (ambient - T),
 * with the conductances and the time step over C folded into one weight an axis. TILE_X and TILE_Y
 * come from the host's build options. */

__kernel __attribute__((reqd_work_group_size(TILE_X, TILE_Y, 1)))
void heat_step(__global const float *power, __global const float *before, __global float *after,
               int nx, int ny, int nz,
               float weight_x, float weight_y, float weight_z,
               float weight_power, float weight_ambient, float ambient)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int z = get_global_id(2);

    if (x >= nx || y >= ny)
        return;

    const int plane = nx * ny;
    const int cell = x + y * nx + z * plane;

    /* Insulated faces: the neighbour beyond the edge is the cell itself. */
    const int west = (x == 0) ? cell : cell - 1;
    const int east = (x == nx - 1) ? cell : cell + 1;
    const int north = (y == 0) ? cell : cell - nx;
    const int south = (y == ny - 1) ? cell : cell + nx;
    const int below = (z == 0) ? cell : cell - plane;
    const int above = (z == nz - 1) ? cell : cell + plane;

    const float here = before[cell];
    float change = weight_power * power[cell];
    change += weight_x * (before[west] + before[east] - 2.0f * here);
    change += weight_y * (before[north] + before[south] - 2.0f * here);
    change += weight_z * (before[below] + before[above] - 2.0f * here);
    change += weight_ambient * (ambient - here);
    after[cell] = here + change;
}
