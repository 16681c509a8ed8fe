// A plugin of Oclgrind that counts, for each line of a kernel, the sectors of memory that warps move: the truth that
// `fpgacc-bench check --truth` holds `fpgacc check` against.
//
//     c++ -shared -fPIC -std=c++14 -fno-rtti -I/usr/lib/llvm-14/include oclgrind_sites.cpp -o oclgrind_sites.so
//     SITES=out.txt oclgrind --plugins ./oclgrind_sites.so ./program
//
// A line of the output: kernel, line, `read` or `write`, how often warps execute it, sectors, sectors that would do. The
// n-th access of a line by each work-item of a warp is one access of the warp.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

#include "oclgrind/Context.h"
#include "oclgrind/Kernel.h"
#include "oclgrind/KernelInvocation.h"
#include "oclgrind/Memory.h"
#include "oclgrind/Plugin.h"
#include "oclgrind/WorkGroup.h"
#include "oclgrind/WorkItem.h"

using namespace oclgrind;

namespace {

const size_t warp = 32, sector = 32;

// The line and the column of an access, and whether it writes.
typedef std::tuple<unsigned, unsigned, bool> Site;

struct Totals {
  double warps = 0, sectors = 0, ideal = 0;
};

// What a group does at a site: by warp and by how often its work-item was there, addresses and sizes.
typedef std::map<std::pair<size_t, size_t>, std::vector<std::pair<size_t, size_t>>> Accesses;

struct Group {
  std::map<Site, Accesses> accesses;
  std::map<std::pair<size_t, Site>, size_t> times;
};

class Sites : public Plugin {
public:
  explicit Sites(const Context *context) : Plugin(context) {}
  ~Sites() override = default;

  bool isThreadSafe() const override { return false; }

  void kernelBegin(const KernelInvocation *invocation) override {
    kernel = invocation->getKernel()->getName();
    local = invocation->getLocalSize();
  }

  void kernelEnd(const KernelInvocation *) override { write(); }

  void memoryLoad(const Memory *memory, const WorkItem *item, size_t address, size_t size) override {
    note(memory, item, address, size, false);
  }

  void memoryStore(const Memory *memory, const WorkItem *item, size_t address, size_t size,
                   const uint8_t *) override {
    note(memory, item, address, size, true);
  }

  void workGroupComplete(const WorkGroup *) override {
    for (const auto &site : group.accesses)
      for (const auto &access : site.second)
        add(totals[{kernel, site.first}], access.second);
    group = Group();
  }

private:
  std::string kernel;
  Size3 local;
  Group group;
  std::map<std::pair<std::string, Site>, Totals> totals;

  void note(const Memory *memory, const WorkItem *item, size_t address, size_t size, bool writes) {
    unsigned space = memory->getAddressSpace();
    if (space != AddrSpaceGlobal && space != AddrSpaceConstant)
      return;
    const llvm::Instruction *instruction = item->getCurrentInstruction();
    if (!instruction || !instruction->getDebugLoc())
      return;
    const llvm::DebugLoc &where = instruction->getDebugLoc();
    Size3 id = item->getLocalID();
    size_t lane = id.x + local.x * (id.y + local.y * id.z);
    Site site(where.getLine(), where.getCol(), writes);
    size_t time = group.times[{lane, site}]++;
    group.accesses[site][{lane / warp, time}].push_back({address, size});
  }

  static void add(Totals &to, const std::vector<std::pair<size_t, size_t>> &lanes) {
    std::set<size_t> sectors, bytes;
    for (const auto &lane : lanes)
      for (size_t at = lane.first; at < lane.first + lane.second; at++) {
        sectors.insert(at / sector);
        bytes.insert(at);
      }
    to.warps += 1;
    to.sectors += sectors.size();
    to.ideal += (bytes.size() + sector - 1) / sector;
  }

  // All that is known so far: programs may end without unloading what they loaded.
  void write() {
    const char *path = getenv("SITES");
    FILE *out = path ? fopen(path, "w") : nullptr;
    if (!out)
      return;
    for (const auto &one : totals) {
      const Site &site = one.first.second;
      fprintf(out, "%s %u %u %s %.0f %.0f %.0f\n", one.first.first.c_str(), std::get<0>(site), std::get<1>(site),
              std::get<2>(site) ? "write" : "read", one.second.warps, one.second.sectors, one.second.ideal);
    }
    fclose(out);
  }
};

Sites *sites = nullptr;

} // namespace

extern "C" void initializePlugins(Context *context) {
  sites = new Sites(context);
  context->registerPlugin(sites);
}

extern "C" void releasePlugins(Context *context) {
  context->unregisterPlugin(sites);
  delete sites;
}
